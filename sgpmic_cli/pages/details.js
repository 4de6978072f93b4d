// Interaction with the table: details beside a cell, filters, sorting and a view of differences. Without this script the
// page shows the same numbers, with details in the corner of the window and without controls.
(() => {
  const GAP = 6;
  const grids = [...document.querySelectorAll(".grid")];

  // Show the details of a cell beside it; Escape hides them even if the mouse stays on the cell.
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
  function reopen(event) {
    const cell = event.target.closest && event.target.closest(".cell");
    if (cell) cell.classList.remove("closed");
  }
  document.addEventListener("mouseover", place);
  document.addEventListener("focusin", place);
  document.addEventListener("scroll", () => { // a cell that is selected by keyboard may still scroll into view
    for (const cell of document.querySelectorAll(".cell:hover, .cell:focus")) place({ target: cell });
  }, true);
  document.addEventListener("mouseout", reopen);
  document.addEventListener("focusout", reopen);
  document.addEventListener("keydown", event => {
    const cell = document.activeElement && document.activeElement.closest(".cell");
    if (event.key === "Escape") {
      for (const open of document.querySelectorAll(".cell:hover, .cell:focus")) open.classList.add("closed");
    } else if (cell && event.key.startsWith("Arrow")) {
      const row = cell.parentElement, column = [...row.children].indexOf(cell);
      const next = {
        ArrowLeft: cell.previousElementSibling,
        ArrowRight: cell.nextElementSibling,
        ArrowUp: row.previousElementSibling && row.previousElementSibling.children[column],
        ArrowDown: row.nextElementSibling && row.nextElementSibling.children[column],
      }[event.key];
      if (next && next.matches(".cell")) {
        event.preventDefault();
        next.focus();
      }
    }
  });

  // Say that a table is larger than its box; the colours of the cells hide the shadow at the edge.
  function mark() {
    for (const box of document.querySelectorAll(".box")) {
      box.classList.toggle("wide", box.scrollWidth > box.clientWidth);
      box.classList.toggle("tall", box.scrollHeight > box.clientHeight);
    }
  }
  addEventListener("resize", mark);
  mark();
  if (!grids.length) return;

  // Scroll a linked cell to the middle of its table; the headings stay visible.
  function reveal() {
    const cell = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const box = cell && cell.matches(".cell") && cell.closest(".box");
    if (!box) return;
    box.scrollIntoView({ behavior: "instant" });
    box.scrollTop = cell.offsetTop - box.clientHeight / 2;
  }
  addEventListener("hashchange", reveal);
  addEventListener("load", reveal);

  // Filters and views above the tables.
  const cells = grids.flatMap(grid => [...grid.querySelectorAll(".cell")]);
  const unique = values => [...new Set(values)];
  const part = (cell, i) => cell.dataset.place.split("/")[i];
  const methods = [...grids[0].querySelectorAll("thead th")].slice(1).map(head => head.textContent);
  const tools = document.createElement("form");
  tools.className = "tools";
  tools.setAttribute("aria-label", "Filter the table");

  function choice(name, title, options) {
    const label = document.createElement("label"), select = document.createElement("select");
    select.name = name;
    for (const [value, text] of options) select.add(new Option(text, value));
    label.append(title, select);
    tools.append(label);
  }
  choice("score", "Score", [["", "all"], ...grids.map((grid, i) => [i, grid.caption.textContent.split(" ")[0]])]);
  if (document.querySelector(".cell .paper")) choice("view", "Numbers", [["", "ours over printed"], ["differences", "difference"]]);
  choice("dataset", "Data set", [["", "all"], ...unique(cells.map(cell => part(cell, 0))).map(name => [name, name])]);
  choice("method", "Method", [["", "all"], ...methods.map((name, i) => [i + 1, name])]);
  choice("verdict", "Verdict", [["", "all"], ...unique(cells.map(cell => cell.dataset.verdict)).sort().map(v => [v, v])]);
  const told = document.createElement("output");
  tools.append(told);
  grids[0].parentElement.before(tools);

  function show() {
    const chosen = Object.fromEntries([...new FormData(tools)]);
    let count = 0;
    grids.forEach((grid, i) => {
      grid.parentElement.hidden = chosen.score !== "" && chosen.score !== String(i);
      grid.classList.toggle("differences", chosen.view === "differences");
      for (const row of grid.rows) {
        const first = row.querySelector(".cell");
        row.hidden = Boolean(first && chosen.dataset && part(first, 0) !== chosen.dataset);
        [...row.children].forEach((cell, column) => {
          cell.hidden = Boolean(column && chosen.method && String(column) !== chosen.method);
          if (!cell.matches(".cell")) return;
          const other = Boolean(chosen.verdict && cell.dataset.verdict !== chosen.verdict);
          cell.classList.toggle("faded", other);
          count += !other && !cell.hidden && !row.hidden && !grid.parentElement.hidden;
        });
      }
    });
    told.textContent = count + " cells";
  }
  tools.addEventListener("change", show);
  show();

  // Sort by a method's column, best first; a second click reverses the order. The first column restores the order.
  for (const grid of grids) {
    const body = grid.tBodies[0], order = [...body.rows];
    [...grid.tHead.rows[0].cells].forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      button.title = column ? "Sort by this method" : "Restore the order";
      head.append(button);
      button.addEventListener("click", () => {
        const falling = head.getAttribute("aria-sort") !== "descending";
        for (const other of grid.tHead.rows[0].cells) other.removeAttribute("aria-sort");
        const value = row => (row.cells[column].dataset.ours === "" ? -Infinity : Number(row.cells[column].dataset.ours));
        const sorted = [...order];
        if (column) {
          sorted.sort((a, b) => (falling ? value(b) - value(a) : value(a) - value(b)));
          head.setAttribute("aria-sort", falling ? "descending" : "ascending");
        }
        grid.classList.toggle("sorted", column > 0);
        body.append(...sorted);
      });
    });
  }
})();
