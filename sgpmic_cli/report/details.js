// Bring the details of a cell beside it; without this they stand in the corner of the window.
(() => {
  const GAP = 6;
  function place(event) {
    const cell = event.target.closest && event.target.closest(".cell");
    if (!cell) return;
    const tip = cell.querySelector(".tip");
    const at = cell.getBoundingClientRect(), size = tip.getBoundingClientRect();
    const below = at.bottom + GAP + size.height <= innerHeight;
    const top = below ? at.bottom + GAP : Math.max(GAP, at.top - GAP - size.height);
    const left = Math.max(GAP, Math.min(at.left, document.documentElement.clientWidth - size.width - GAP));
    Object.assign(tip.style, { top: top + "px", left: left + "px", right: "auto", bottom: "auto" });
  }
  document.addEventListener("mouseover", place);
  document.addEventListener("focusin", place);
  document.addEventListener("keydown", event => {
    if (event.key === "Escape" && document.activeElement) document.activeElement.blur();
  });
})();
