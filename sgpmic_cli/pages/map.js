// The interactive map of one result. It replaces the picture of the map, which stays without scripts.
"use strict";
(() => {
  const source = document.getElementById("map-data");
  if (!source) return;
  const data = JSON.parse(source.textContent), MISSING = 65535;
  const unpack = text => new Uint16Array(Uint8Array.from(atob(text), each => each.charCodeAt(0)).buffer);
  const n = data.names.length, place = document.querySelector(".map"), groups = data.clusters;
  const group = unpack(data.cluster), probability = unpack(data.probability);
  const certain = i => probability[i] / (MISSING - 1);
  const [x, y] = [data.x, data.y].map((text, i) => Float64Array.from(unpack(text), v => data.low[i] + data.step * v));
  const unusual = new Uint8Array(n);
  for (const i of data.unusual) unusual[i] = 1;
  for (const column of data.columns) column.codes = unpack(column.values);
  for (const column of data.texts) column.rows = unpack(column.codes);
  const selected = new Set(); // rows
  const view = { x: 0, y: 0, zoom: 1 }; // centre in units of the whole map
  const CROWD = 5000, CELL = 3; // more rows are drawn as density, in cells of so many pixels
  const RADIUS = n > 800 ? 3.5 : 5, FONT = "bold 13px system-ui, sans-serif";
  const px = new Float64Array(n), py = new Float64Array(n); // places of the rows on the canvas
  let width = 0, height = 0, focus = -1, drag = null, selecting = false, waiting = false, hidden = new Set();

  function element(name, attributes = {}, ...content) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...content);
    return made;
  }

  function button(title, action) { return Object.assign(element("button", { type: "button" }, title), { onclick: action }); }

  // Elements
  const search = element("input", { type: "search", autocomplete: "off", spellcheck: "false" });
  const option = (value, title) => element("option", { value }, title);
  const modes = element("select", {}, option("cluster", "cluster"), option("probability", "probability"), option("unusual", "unusual rows"),
    ...data.columns.map((column, k) => option(k, column.name)));
  const selectButton = button("Select an area", () => setSelecting(!selecting));
  const clearButton = button("Clear selection", () => { selected.clear(); changed(); });
  const saveButton = button("Save selection as CSV", save);
  const told = element("output", { class: "told" });
  const tools = element("form", { class: "tools", "aria-label": "Tools of the map" },
    element("label", {}, "Colour by", modes), element("label", {}, "Find a row", search),
    button("Zoom in", () => zoom(1.5)), button("Zoom out", () => zoom(1 / 1.5)), button("Whole map", () => zoom(0)),
    selectButton, clearButton, saveButton, told);
  const canvas = element("canvas", { tabindex: "0", role: "application", "aria-label": "Map of " + n + " rows", "aria-describedby": "map-help map-row" });
  const tip = element("div", { class: "map-tip" }), row = element("p", { id: "map-row", class: "map-row", "aria-live": "polite" });
  const legend = element("fieldset", { class: "map-legend" });
  const help = element("p", { id: "map-help", class: "map-help" },
    "Point at a row to see it; click it to select it. Drag to move the map, drag with Shift to select an area, and use " +
    "the wheel with Ctrl to zoom. Keys: arrows go from row to row, + and − zoom, 0 shows the whole map, space selects, " +
    "Escape clears." + (data.total > n ? " The map has " + n + " of the " + data.total + " rows, evenly spaced." : ""));
  const stage = element("div", { class: "stage" }, canvas, tip);
  place.append(tools, stage, row, legend, help);
  place.classList.add("live");
  const context = canvas.getContext("2d");

  // Colours: every row has the number of an entry in the palette.
  const VIRIDIS = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]], GREY = [150, 150, 150], LEVELS = 64;
  const ramp = Array.from({ length: LEVELS }, (_, k) => {
    const t = k / (LEVELS - 1) * (VIRIDIS.length - 1), i = Math.min(Math.floor(t), VIRIDIS.length - 2);
    return VIRIDIS[i].map((c, j) => Math.round(c + (t - i) * (VIRIDIS[i + 1][j] - c)));
  });
  const rgb = hex => [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16));
  const colour = name => getComputedStyle(place).getPropertyValue(name).trim();
  const shade = new Uint16Array(n);
  let palette = [], mode = "cluster";
  const chosen = () => data.columns[mode], visible = i => !hidden.has(shade[i]);
  const value = (column, i) => column.low + column.step * column.codes[i];
  const level = fraction => Math.max(0, Math.min(LEVELS - 1, Math.floor(fraction * LEVELS)));

  function recolour() {
    const column = chosen();
    let names = [], ends = null, code = i => group[i];
    palette = groups.map(each => rgb(each.look[0]));
    if (mode === "cluster") names = groups.map((each, m) => m + (each.name === "cluster " + m ? "" : " " + each.name) + " (" + each.rows + ")");
    else if (mode === "unusual") {
      palette = [GREY, [213, 94, 0]];
      names = ["usual", "unusual (" + data.unusual.length + ")"];
      code = i => unusual[i];
    } else if (column && column.categories) {
      palette = [...column.categories.map((_, k) => rgb(data.looks[k % data.looks.length][0])), GREY];
      names = column.categories.concat(column.codes.includes(MISSING) ? "missing" : []);
      code = i => Math.min(column.codes[i], palette.length - 1);
    } else {
      palette = [...ramp, GREY];
      const [low, high] = column ? column.ends : [0, 1];
      ends = column ? column.ends.map(v => shown(column, v)) : ["0", "1"];
      code = i => (column && column.codes[i] === MISSING ? LEVELS : level(((column ? value(column, i) : certain(i)) - low) / (high - low || 1)));
    }
    for (let i = 0; i < n; i++) shade[i] = code(i);
    hidden = new Set();
    const title = mode === "cluster" ? "Clusters shown" : column ? column.name : modes.selectedOptions[0].textContent;
    legend.replaceChildren(element("legend", {}, title));
    if (ends) legend.append(element("span", {}, ends[0]), element("span", { class: "ramp" }), element("span", {}, ends[1]));
    for (const [k, name] of names.entries()) {
      const box = element("input", { type: "checkbox", checked: "" });
      box.onchange = () => { hidden[box.checked ? "delete" : "add"](k); show(focus >= 0 && visible(focus) ? focus : -1); changed(); };
      const key = element("canvas", { class: "key-mark", width: 32, height: 32, "aria-hidden": "true" });
      paint(key.getContext("2d"), mode === "cluster" ? groups[k].look[1] : "o", palette[k], 16, 16, 10);
      legend.append(element("label", {}, box, key, name));
    }
    redraw();
  }
  modes.addEventListener("change", () => { mode = modes.value; recolour(); });

  // Geometry: the whole map lies in the unit square, with equal units on both axes.
  const [least, most] = [Math.min, Math.max].map(f => [x, y].map(v => v.reduce((a, b) => f(a, b))));
  const span = Math.max(most[0] - least[0], most[1] - least[1]) || 1, middle = [0, 1].map(i => (least[i] + most[i]) / 2);
  const ux = x.map(v => (v - middle[0]) / span), uy = y.map(v => (middle[1] - v) / span);
  const wide = (most[0] - least[0]) / span || 1, tall = (most[1] - least[1]) / span || 1;
  const scale = () => 0.9 * Math.min(width / wide, height / tall) * view.zoom;

  function project() {
    const s = scale();
    for (let i = 0; i < n; i++) [px[i], py[i]] = [width / 2 + (ux[i] - view.x) * s, height / 2 + (uy[i] - view.y) * s];
  }

  // Markers as those of the picture: corners, the first angle, size, and which corners are inner ones
  const SHAPES = { s: [4, 45, 1.1], "^": [3, 0, 1.25], D: [4, 0, 1.1], v: [3, 180, 1.25], "<": [3, 270, 1.25], ">": [3, 90, 1.25],
    p: [5, 0, 1.1], "*": [10, 0, 1.4, k => k % 2], P: [12, 0, 1.2, k => k % 3 === 0], X: [12, -45, 1.2, k => k % 3 === 0] };
  function paint(pen, shape, fill, x, y, r) {
    const [count, turn, size, inner] = SHAPES[shape] || [0];
    pen.beginPath();
    if (!count) pen.arc(x, y, r, 0, 2 * Math.PI);
    for (let k = 0; k < count; k++) {
      const angle = (turn + 360 * k / count) * Math.PI / 180, length = r * size * (inner && inner(k) ? 0.45 : 1);
      pen.lineTo(x + length * Math.sin(angle), y - length * Math.cos(angle));
    }
    pen.closePath();
    Object.assign(pen, { fillStyle: "rgb(" + fill.join() + ")", lineWidth: 0.6 }).fill();
    pen.stroke();
  }

  function draw() {
    waiting = false;
    const ratio = devicePixelRatio || 1, inside = [];
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    for (let i = 0; i < n; i++) if (visible(i) && px[i] > -9 && py[i] > -9 && px[i] < width + 9 && py[i] < height + 9) inside.push(i);
    const crowded = inside.length > CROWD, special = i => mode === "unusual" && unusual[i];
    if (crowded) drawDensity(inside.filter(i => !special(i)));
    context.strokeStyle = colour("--card");
    for (const i of crowded ? inside.filter(special) : inside) paint(context, groups[group[i]].look[1], palette[shade[i]], px[i], py[i], RADIUS);
    Object.assign(context, { lineWidth: 2, strokeStyle: colour("--ink") });
    for (const i of selected) if (visible(i)) ring(i, RADIUS + 2);
    if (groups.length > 1) drawLabels(inside);
    Object.assign(context, { lineWidth: 3, strokeStyle: colour("--link") });
    if (focus >= 0) ring(focus, RADIUS + 5);
    context.lineWidth = 1;
    if (drag && drag.area) context.strokeRect(...rectangle());
  }

  function ring(i, r) { context.beginPath(); context.arc(px[i], py[i], r, 0, 2 * Math.PI); context.stroke(); }

  function drawDensity(rows) { // the mean colour of a cell; the more rows, the denser
    const w = Math.ceil(width / CELL), h = Math.ceil(height / CELL), counts = new Uint32Array(w * h), sums = new Float32Array(3 * w * h);
    let top = 1;
    for (const i of rows) {
      const cx = Math.floor(px[i] / CELL), cy = Math.floor(py[i] / CELL);
      if (cx < 0 || cy < 0 || cx >= w || cy >= h) continue;
      const cell = cy * w + cx;
      top = Math.max(top, ++counts[cell]);
      palette[shade[i]].forEach((c, k) => { sums[3 * cell + k] += c; });
    }
    const image = new ImageData(w, h);
    counts.forEach((count, cell) => {
      if (!count) return;
      for (let k = 0; k < 3; k++) image.data[4 * cell + k] = sums[3 * cell + k] / count;
      image.data[4 * cell + 3] = 90 + 165 * Math.log(count) / Math.max(Math.log(top), 1e-9);
    });
    const small = element("canvas", { width: w, height: h });
    small.getContext("2d").putImageData(image, 0, 0);
    context.imageSmoothingEnabled = false;
    context.drawImage(small, 0, 0, w * CELL, h * CELL);
  }

  // Labels: the free place that is nearest to the middle of the cluster, with a line to it
  function drawLabels(inside) {
    const SIDE = 6, TALL = 3, w = Math.ceil(width / SIDE), h = Math.ceil(height / SIDE), taken = new Uint8Array(w * h);
    const sums = groups.map(() => [0, 0, 0]);
    for (const i of inside) {
      const sum = sums[group[i]];
      for (const a of [px[i] - RADIUS, px[i] + RADIUS]) for (const b of [py[i] - RADIUS, py[i] + RADIUS]) {
        const cx = Math.floor(a / SIDE), cy = Math.floor(b / SIDE);
        if (cx >= 0 && cy >= 0 && cx < w && cy < h) taken[cy * w + cx] = 1;
      }
      sum[0] += px[i]; sum[1] += py[i]; sum[2]++;
    }
    const free = (i, j, wide) => {
      for (let b = j; b < j + TALL; b++) for (let a = i; a < i + wide; a++) if (taken[b * w + a]) return false;
      return true;
    };
    Object.assign(context, { font: FONT, textAlign: "center", textBaseline: "middle", fillStyle: colour("--ink") });
    groups.forEach((each, m) => {
      if (!sums[m][2]) return;
      const name = m + (each.name === "cluster " + m || width < 600 ? "" : " " + each.name), text = name.length > 26 ? name.slice(0, 25) + "…" : name;
      const cx = sums[m][0] / sums[m][2], cy = sums[m][1] / sums[m][2], wide = Math.ceil((context.measureText(text).width + 8) / SIDE);
      let best = null, least = Infinity;
      for (let j = 1; j + TALL < h; j++) for (let i = 1; i + wide < w; i++) {
        const distance = ((i + wide / 2) * SIDE - cx) ** 2 + 2 * ((j + TALL / 2) * SIDE - cy) ** 2;
        if (distance < least && free(i, j, wide)) { least = distance; best = [i, j]; }
      }
      if (!best) return; // the legend has it
      const [i, j] = best, [x0, y0, x1, y1] = [i, j, i + wide, j + TALL].map(v => v * SIDE), place = [(x0 + x1) / 2, (y0 + y1) / 2];
      for (let b = j - 1; b <= j + TALL; b++) taken.fill(1, b * w + i - 1, b * w + i + wide + 1);
      context.beginPath();
      context.moveTo(Math.max(x0, Math.min(cx, x1)), Math.max(y0, Math.min(cy, y1)));
      context.lineTo(cx, cy);
      Object.assign(context, { lineWidth: 1, strokeStyle: colour("--ink") }).stroke();
      Object.assign(context, { lineWidth: 4, strokeStyle: colour("--card") }).strokeText(text, ...place);
      context.fillText(text, ...place);
    });
  }

  function redraw() { if (!waiting) { waiting = true; requestAnimationFrame(draw); } }

  function changed() {
    const count = selected.size;
    told.textContent = count === 1 ? "1 row selected" : count + " rows selected";
    clearButton.disabled = saveButton.disabled = !count;
    redraw();
  }

  // What is known about a row
  function shown(column, v) {
    if (v === null) return "–";
    if (column.date) return new Date(v * 864e5).toISOString().slice(0, 10);
    return String(column.step === 1 && Number.isInteger(v) ? v : Number(v.toPrecision(4)));
  }

  function words(i) {
    const m = group[i], lines = [], differ = [], column = chosen();
    const cell = each => (each.codes[i] === MISSING ? "missing" : each.categories ? each.categories[each.codes[i]] : shown(each, value(each, i)));
    if (groups.length > 1) lines.push("cluster " + m + " " + (groups[m].name === "cluster " + m ? "" : groups[m].name) + ", probability " + certain(i).toFixed(2));
    if (unusual[i]) lines.push("unusual");
    for (const each of data.columns) {
      const code = each.codes[i];
      if (code === MISSING || each === column) continue;
      if (!each.means) lines.push(each.name + " " + cell(each));
      else if (each.categories) differ.push([1 - each.means[m][code], each.name + "=" + cell(each)]);
      else differ.push([Math.abs(value(each, i) - each.means[m]) / (each.spread || 1), each.name + " " + cell(each) + " (its cluster " + shown(each, each.means[m]) + ")"]);
    }
    if (column) lines.push(column.name + " " + cell(column));
    return [...lines, ...differ.sort((a, b) => b[0] - a[0]).slice(0, 3).map(each => each[1])];
  }

  function show(i) {
    focus = i;
    tip.classList.toggle("open", i >= 0);
    if (i >= 0) {
      tip.replaceChildren(element("strong", {}, data.names[i]), ...words(i).map(line => element("div", {}, line)));
      tip.style.left = Math.max(4, Math.min(px[i] + 14, width - tip.offsetWidth - 4)) + "px";
      tip.style.top = Math.max(4, py[i] + 18 + tip.offsetHeight > height ? py[i] - tip.offsetHeight - 14 : py[i] + 18) + "px";
    }
    redraw();
  }

  function pick(i) { if (!selected.delete(i)) selected.add(i); say(i); changed(); }
  function say(i) { row.textContent = i < 0 ? "" : data.names[i] + ": " + words(i).join("; "); }

  function nearest(x, y, reach) {
    let best = -1, least = reach * reach;
    for (let i = 0; i < n; i++) {
      const distance = (px[i] - x) ** 2 + (py[i] - y) ** 2;
      if (distance < least && visible(i)) { least = distance; best = i; }
    }
    return best;
  }

  // Zoom and move
  function moved() { canvas.classList.toggle("moving", selecting || view.zoom > 1); project(); show(focus); }

  function zoom(factor, x = width / 2, y = height / 2) {
    const old = scale();
    view.zoom = Math.max(1, Math.min(200, view.zoom * factor));
    const gain = 1 / old - 1 / scale();
    Object.assign(view, view.zoom === 1 ? { x: 0, y: 0 } : { x: view.x + (x - width / 2) * gain, y: view.y + (y - height / 2) * gain });
    moved();
  }

  function reveal(i) {
    if (i < 0) return;
    if (px[i] < 10 || py[i] < 10 || px[i] > width - 10 || py[i] > height - 10) { view.x = ux[i]; view.y = uy[i]; }
    focus = i;
    moved();
    say(i);
  }

  function setSelecting(on) { selecting = on; selectButton.setAttribute("aria-pressed", on); moved(); }

  const rectangle = () => [Math.min(drag.x0, drag.x1), Math.min(drag.y0, drag.y1), Math.abs(drag.x1 - drag.x0), Math.abs(drag.y1 - drag.y0)];

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
    const [x, y] = [event.offsetX, event.offsetY], dx = x - drag.x1, dy = y - drag.y1;
    Object.assign(drag, { x1: x, y1: y, moved: drag.moved || Math.hypot(x - drag.x0, y - drag.y0) > 4 });
    if (!drag.area && drag.moved) { view.x -= dx / scale(); view.y -= dy / scale(); }
    moved();
  });
  canvas.addEventListener("pointerup", event => {
    if (!drag) return;
    if (!drag.moved) {
      show(nearest(event.offsetX, event.offsetY, 18));
      if (focus >= 0) pick(focus);
    } else if (drag.area) {
      const [x, y, w, h] = rectangle();
      for (let i = 0; i < n; i++) if (visible(i) && px[i] >= x && px[i] <= x + w && py[i] >= y && py[i] <= y + h) selected.add(i);
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

  // Keys
  function neighbour(dx, dy) {
    if (focus < 0) return nearest(width / 2, height / 2, Infinity);
    let best = focus, least = Infinity;
    for (let i = 0; i < n; i++) {
      const x = ux[i] - ux[focus], y = uy[i] - uy[focus], along = x * dx + y * dy, beside = Math.abs(x * dy) + Math.abs(y * dx);
      const cost = along + 2 * beside;
      if (along > 0 && beside <= along && cost < least && visible(i)) { least = cost; best = i; }
    }
    return best;
  }

  canvas.addEventListener("keydown", event => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const factor = { "+": 1.5, "=": 1.5, "-": 1 / 1.5, 0: 0 }[event.key];
    if (step) reveal(neighbour(...step));
    else if (factor !== undefined) zoom(factor);
    else if ((event.key === " " || event.key === "Enter") && focus >= 0) pick(focus);
    else if (event.key === "Escape") { selected.clear(); show(-1); say(-1); changed(); }
    else return;
    event.preventDefault();
  });

  // Search: the whole name, its beginning, any part of it, then other texts. Enter goes to the next match.
  let matches = [], turn = 0;
  function find() {
    const text = search.value.trim().toLowerCase(), includes = word => word.toLowerCase().includes(text);
    const others = [...data.texts.map(each => [each.words.map(includes), each.rows]),
      ...data.columns.filter(each => each.categories).map(each => [each.categories.map(includes), each.codes])];
    const ranks = [name => name === text || name === "row " + text, name => name.startsWith(text), name => name.includes(text),
      (_, i) => others.some(([found, codes]) => found[codes[i]])];
    const found = data.names.map((name, i) => [ranks.findIndex(rank => rank(name.toLowerCase(), i)), i]);
    matches = text ? found.filter(([rank, i]) => rank >= 0 && visible(i)).sort((a, b) => a[0] - b[0] || a[1] - b[1]) : [];
    go(turn = 0);
    told.textContent = !text ? "" : matches.length ? matches.length + " found" : "no row found";
  }
  function go() { if (matches.length) reveal(matches[turn % matches.length][1]); else { show(-1); say(-1); } }
  search.addEventListener("input", find);
  tools.addEventListener("submit", event => { event.preventDefault(); go(turn += 1); });

  function save() {
    const quoted = text => (/[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text);
    const lines = [...selected].sort((a, b) => a - b).map(i => [quoted(data.names[i]), group[i], certain(i).toFixed(4), unusual[i], x[i].toFixed(4), y[i].toFixed(4)].join(","));
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
    Object.assign(canvas, { width: width * ratio, height: height * ratio });
    moved();
  }
  recolour();
  new ResizeObserver(() => { if (stage.clientWidth && stage.clientWidth !== width) resize(); }).observe(stage);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
  resize();
  changed();
})();
