// The interactive map of one fit. It replaces the picture of the map, which stays without scripts.
"use strict";
(() => {
  const source = document.getElementById("map-rows");
  if (!source) return;
  const data = JSON.parse(source.textContent), n = data.x.length;
  const place = document.querySelector(".map");
  const hidden = new Set(), selected = new Set(); // clusters that are not drawn; rows
  const view = { x: 0, y: 0, zoom: 1 }; // centre in units of the whole map, from 0 to 1
  const radius = n > 5000 ? 2.5 : n > 800 ? 3.5 : 5;
  let width = 0, height = 0, focus = -1, drag = null, selecting = false, waiting = false, sprites = [];

  function element(name, attributes = {}, ...content) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...content);
    return made;
  }

  function button(title, action) {
    const made = element("button", { type: "button" }, title);
    made.addEventListener("click", action);
    return made;
  }

  // Elements
  const search = element("input", { type: "search", autocomplete: "off", spellcheck: "false" });
  const selectButton = button("Select an area", () => setSelecting(!selecting));
  const clearButton = button("Clear selection", () => { selected.clear(); changed(); });
  const saveButton = button("Save selection as CSV", save);
  const told = element("output", { class: "told" });
  const tools = element("form", { class: "tools", "aria-label": "Tools of the map" },
    element("label", {}, "Find a row", search),
    button("Zoom in", () => zoom(1.5)), button("Zoom out", () => zoom(1 / 1.5)), button("Whole map", reset),
    selectButton, clearButton, saveButton, told);
  const canvas = element("canvas", {
    tabindex: "0", role: "application", "aria-label": "Map of " + n + " rows", "aria-describedby": "map-help map-row",
  });
  const tip = element("div", { class: "map-tip" });
  const row = element("p", { id: "map-row", class: "map-row", "aria-live": "polite" });
  const legend = element("fieldset", { class: "map-legend" }, element("legend", {}, "Clusters shown"));
  data.clusters.forEach((cluster, m) => {
    const box = element("input", { type: "checkbox", checked: "" });
    box.addEventListener("change", () => {
      if (box.checked) hidden.delete(m); else hidden.add(m);
      if (focus >= 0 && hidden.has(data.cluster[focus])) show(-1);
      changed();
    });
    const key = element("canvas", { class: "key-mark", width: 32, height: 32, "aria-hidden": "true" });
    const own = cluster.name === "cluster " + m ? "" : " " + cluster.name;
    legend.append(element("label", {}, box, key, m + own + " (" + cluster.rows + ")"));
    cluster.key = key;
  });
  const help = element("p", { id: "map-help", class: "map-help" },
    "Point at a row to see it; click it to select it. Drag to move the map, drag with Shift to select an area, and use " +
    "the wheel with Ctrl to zoom. Keys: arrows go from row to row, + and − zoom, 0 shows the whole map, space selects, " +
    "Escape clears." + (data.total > n ? " The map has " + n + " of the " + data.total + " rows, evenly spaced." : ""));
  const stage = element("div", { class: "stage" }, canvas, tip);
  place.append(tools, stage, row, legend, help);
  place.classList.add("live");
  const context = canvas.getContext("2d");

  // Geometry: the whole map lies in the unit square, with equal units on both axes.
  const [least, most] = [Math.min, Math.max].map(f => [data.x, data.y].map(v => v.reduce((a, b) => f(a, b))));
  const span = Math.max(most[0] - least[0], most[1] - least[1]) || 1;
  const middle = [0, 1].map(i => (least[i] + most[i]) / 2);
  const ux = Float64Array.from(data.x, v => (v - middle[0]) / span), uy = Float64Array.from(data.y, v => (middle[1] - v) / span);
  const wide = (most[0] - least[0]) / span || 1, tall = (most[1] - least[1]) / span || 1;
  const scale = () => 0.92 * Math.min(width / wide, height / tall) * view.zoom;
  const toX = u => width / 2 + (u - view.x) * scale(), toY = u => height / 2 + (u - view.y) * scale();
  const shown = i => !hidden.has(data.cluster[i]);

  // Markers as those of the picture
  function marker(pen, shape, x, y, r) {
    const corners = { s: [4, 45, 1.1], "^": [3, 0, 1.25], D: [4, 0, 1.1], v: [3, 180, 1.25], "<": [3, 270, 1.25], ">": [3, 90, 1.25],
      p: [5, 0, 1.1], "*": [10, 0, 1.4], P: [12, 45, 1.2], X: [12, 0, 1.2] }[shape];
    pen.beginPath();
    if (!corners) { pen.arc(x, y, r, 0, 2 * Math.PI); return; }
    const [count, turn, size] = corners;
    for (let k = 0; k < count; k++) {
      const inner = (count === 10 && k % 2) || (count === 12 && k % 3 === 0);
      const angle = (turn + 360 * k / count - (count === 12 ? 45 : 0)) * Math.PI / 180, length = r * size * (inner ? 0.45 : 1);
      pen.lineTo(x + length * Math.sin(angle), y - length * Math.cos(angle));
    }
    pen.closePath();
  }

  function colour(name) { return getComputedStyle(place).getPropertyValue(name).trim(); }

  function prepare() { // a small picture of every marker is faster than a path for every row
    const ratio = devicePixelRatio || 1, size = Math.ceil(4 * radius + 2);
    sprites = data.clusters.map(({ look, key }) => {
      const sprite = document.createElement("canvas");
      sprite.width = sprite.height = size * ratio;
      for (const [pen, middle, r] of [[sprite.getContext("2d"), size / 2, radius], [key.getContext("2d"), 16, 10]]) {
        pen.setTransform(1, 0, 0, 1, 0, 0);
        pen.clearRect(0, 0, 1000, 1000);
        if (pen.canvas === sprite) pen.scale(ratio, ratio);
        marker(pen, look[1], middle, middle, r);
        pen.fillStyle = look[0];
        pen.fill();
        pen.lineWidth = 0.6;
        pen.strokeStyle = colour("--card");
        pen.stroke();
      }
      sprite.side = size;
      return sprite;
    });
  }

  function draw() {
    waiting = false;
    const ratio = devicePixelRatio || 1;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const s = scale(), ox = width / 2 - view.x * s, oy = height / 2 - view.y * s;
    for (let i = 0; i < n; i++) {
      const sprite = sprites[data.cluster[i]], x = ox + ux[i] * s, y = oy + uy[i] * s;
      if (!shown(i) || x < -9 || y < -9 || x > width + 9 || y > height + 9) continue;
      if (n > 5000) { // squares are several times faster, and markers of this size look alike
        const colour = data.clusters[data.cluster[i]].look[0];
        if (context.fillStyle !== colour) context.fillStyle = colour;
        context.fillRect(x - 2, y - 2, 4, 4);
      } else context.drawImage(sprite, x - sprite.side / 2, y - sprite.side / 2, sprite.side, sprite.side);
    }
    context.lineWidth = 2;
    context.strokeStyle = colour("--ink");
    for (const i of selected) if (shown(i)) ring(i, radius + 2);
    context.font = "bold 14px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    data.clusters.forEach(({ centre, rows }, m) => {
      if (!rows || hidden.has(m) || data.clusters.length < 2) return;
      const x = toX((centre[0] - middle[0]) / span), y = toY((middle[1] - centre[1]) / span);
      context.lineWidth = 4;
      context.strokeStyle = colour("--card");
      context.strokeText(m, x, y);
      context.fillStyle = colour("--ink");
      context.fillText(m, x, y);
    });
    context.strokeStyle = colour("--link");
    context.lineWidth = 3;
    if (focus >= 0) ring(focus, radius + 5);
    if (drag && drag.area) {
      context.lineWidth = 1;
      context.strokeRect(...rectangle());
    }
  }

  function ring(i, r) {
    context.beginPath();
    context.arc(toX(ux[i]), toY(uy[i]), r, 0, 2 * Math.PI);
    context.stroke();
  }

  function redraw() { if (!waiting) { waiting = true; requestAnimationFrame(draw); } }

  function changed() {
    const count = selected.size;
    told.textContent = count === 1 ? "1 row selected" : count + " rows selected";
    clearButton.disabled = saveButton.disabled = !count;
    redraw();
  }

  // What is known about a row
  function words(i) {
    const m = data.cluster[i], cluster = data.clusters[m], lines = [];
    if (data.clusters.length > 1) lines.push("cluster " + m + ", probability " + data.probability[i].toFixed(2));
    if (data.classes) lines.push("class " + data.classes[i]);
    if (data.unusual[i]) lines.push("unusual");
    for (let k = 0; k < data.differ[i].length; k += 2) {
      const j = data.differ[i][k];
      lines.push(data.features[j] + data.differ[i][k + 1] + " (its cluster " + cluster.means[j] + ")");
    }
    return lines;
  }

  function show(i) {
    focus = i;
    tip.classList.toggle("open", i >= 0);
    if (i >= 0) {
      tip.replaceChildren(element("strong", {}, data.names[i]), ...words(i).map(line => element("div", {}, line)));
      const x = toX(ux[i]), y = toY(uy[i]), room = width - tip.offsetWidth - 4;
      tip.style.left = Math.max(4, Math.min(x + 14, room)) + "px";
      tip.style.top = Math.max(4, y + 18 + tip.offsetHeight > height ? y - tip.offsetHeight - 14 : y + 18) + "px";
    }
    redraw();
  }

  function say(i) { row.textContent = i < 0 ? "" : data.names[i] + ": " + words(i).join("; "); }

  function nearest(x, y, reach) {
    let best = -1, least = reach * reach;
    const s = scale(), ox = width / 2 - view.x * s, oy = height / 2 - view.y * s;
    for (let i = 0; i < n; i++) {
      const dx = ox + ux[i] * s - x, dy = oy + uy[i] * s - y, distance = dx * dx + dy * dy;
      if (distance < least && shown(i)) { least = distance; best = i; }
    }
    return best;
  }

  // Zoom and move
  function zoom(factor, x = width / 2, y = height / 2) {
    const old = scale(), wanted = Math.max(1, Math.min(200, view.zoom * factor));
    view.zoom = wanted;
    const gain = 1 / old - 1 / scale();
    view.x += (x - width / 2) * gain;
    view.y += (y - height / 2) * gain;
    if (wanted === 1) view.x = view.y = 0;
    canvas.classList.toggle("moving", selecting || view.zoom > 1);
    show(focus);
  }

  function reset() { zoom(1e-9); }

  function reveal(i) {
    const x = toX(ux[i]), y = toY(uy[i]);
    if (x < 10 || y < 10 || x > width - 10 || y > height - 10) { view.x = ux[i]; view.y = uy[i]; }
    show(i);
    say(i);
  }

  function setSelecting(on) {
    selecting = on;
    selectButton.setAttribute("aria-pressed", on);
    canvas.classList.toggle("selecting", on);
    canvas.classList.toggle("moving", on || view.zoom > 1);
  }

  function rectangle() {
    const { x0, y0, x1, y1 } = drag;
    return [Math.min(x0, x1), Math.min(y0, y1), Math.abs(x1 - x0), Math.abs(y1 - y0)];
  }

  canvas.addEventListener("pointerdown", event => {
    if (event.button) return;
    drag = { x0: event.offsetX, y0: event.offsetY, x1: event.offsetX, y1: event.offsetY, area: selecting || event.shiftKey, moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", event => {
    if (!drag) {
      const i = nearest(event.offsetX, event.offsetY, 14);
      if (i !== focus) show(i);
      return;
    }
    const dx = event.offsetX - drag.x1, dy = event.offsetY - drag.y1;
    drag.x1 = event.offsetX;
    drag.y1 = event.offsetY;
    drag.moved = drag.moved || Math.hypot(drag.x1 - drag.x0, drag.y1 - drag.y0) > 4;
    if (!drag.area && drag.moved) {
      view.x -= dx / scale();
      view.y -= dy / scale();
    }
    show(focus);
  });
  canvas.addEventListener("pointerup", event => {
    if (!drag) return;
    if (!drag.moved) {
      const i = nearest(event.offsetX, event.offsetY, 18);
      if (i >= 0) toggle(i);
      show(i);
    } else if (drag.area) {
      const [x, y, w, h] = rectangle();
      for (let i = 0; i < n; i++) {
        const dx = toX(ux[i]) - x, dy = toY(uy[i]) - y;
        if (shown(i) && dx >= 0 && dx <= w && dy >= 0 && dy <= h) selected.add(i);
      }
    }
    drag = null;
    changed();
  });
  canvas.addEventListener("pointercancel", () => { drag = null; redraw(); });
  canvas.addEventListener("pointerleave", () => { if (!drag) show(-1); });
  canvas.addEventListener("blur", () => show(-1));
  canvas.addEventListener("dblclick", event => zoom(2, event.offsetX, event.offsetY));
  canvas.addEventListener("wheel", event => {
    if (!event.ctrlKey && !event.metaKey) return; // the page scrolls
    event.preventDefault();
    zoom(Math.exp(-event.deltaY / 300), event.offsetX, event.offsetY);
  }, { passive: false });

  function toggle(i) {
    if (!selected.delete(i)) selected.add(i);
    say(i);
    changed();
  }

  // Keys
  function neighbour(dx, dy) {
    if (focus < 0) return nearest(width / 2, height / 2, Infinity);
    let best = focus, least = Infinity;
    for (let i = 0; i < n; i++) {
      const x = ux[i] - ux[focus], y = uy[i] - uy[focus], along = x * dx + y * dy, beside = Math.abs(x * dy) + Math.abs(y * dx);
      const cost = along + 2 * beside;
      if (along > 0 && beside <= along && cost < least && shown(i)) { least = cost; best = i; }
    }
    return best;
  }

  canvas.addEventListener("keydown", event => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (step) {
      const i = neighbour(...step);
      if (i >= 0) reveal(i);
    } else if (event.key === "+" || event.key === "=") zoom(1.5);
    else if (event.key === "-") zoom(1 / 1.5);
    else if (event.key === "0") reset();
    else if ((event.key === " " || event.key === "Enter") && focus >= 0) toggle(focus);
    else if (event.key === "Escape") { selected.clear(); show(-1); say(-1); changed(); }
    else return;
    event.preventDefault();
  });

  // Search: the whole name, then its beginning, then any part. Enter goes to the next match.
  let matches = [], turn = 0;
  function find() {
    const text = search.value.trim().toLowerCase(), names = data.names.map(name => name.toLowerCase());
    const rank = name => (name === text || name === "row " + text ? 0 : name.startsWith(text) ? 1 : name.includes(text) ? 2 : 3);
    matches = !text ? [] : names.map((name, i) => [rank(name), i]).filter(([r, i]) => r < 3 && shown(i)).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    turn = 0;
    go();
    told.textContent = !text ? "" : matches.length ? matches.length + " found" : "no row found";
  }
  function go() { if (matches.length) reveal(matches[turn % matches.length][1]); else { show(-1); say(-1); } }
  search.addEventListener("input", find);
  tools.addEventListener("submit", event => {
    event.preventDefault();
    turn += 1;
    go();
  });

  function save() {
    const quoted = text => (/[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text);
    const lines = [...selected].sort((a, b) => a - b).map(i => [
      quoted(data.names[i]), data.cluster[i], data.probability[i].toFixed(4), data.unusual[i], data.x[i], data.y[i]].join(","));
    const text = ["row,cluster,probability,unusual,x,y", ...lines].join("\n") + "\n";
    const link = element("a", { download: "selection.csv", href: URL.createObjectURL(new Blob([text], { type: "text/csv" })) });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  function resize() {
    const ratio = devicePixelRatio || 1;
    width = stage.clientWidth;
    height = Math.round(Math.max(280, Math.min(width * Math.max(0.5, Math.min(0.8, tall / wide)), 0.75 * innerHeight)));
    canvas.style.height = height + "px";
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    prepare();
    draw();
  }
  new ResizeObserver(() => { if (stage.clientWidth !== width) resize(); }).observe(stage);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", resize);
  resize();
  changed();
})();
