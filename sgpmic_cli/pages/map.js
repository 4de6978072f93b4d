// The interactive map of one fit. It replaces the picture of the map, which stays without scripts.
"use strict";
(() => {
  const source = document.getElementById("map-data");
  if (!source) return;
  const data = JSON.parse(source.textContent), MISSING = 65535;
  function unpack(text) {
    const plain = atob(text), bytes = new Uint8Array(plain.length);
    for (let i = 0; i < plain.length; i++) bytes[i] = plain.charCodeAt(i);
    return new Uint16Array(bytes.buffer);
  }
  const n = data.names.length, place = document.querySelector(".map"), cluster = unpack(data.cluster), probability = unpack(data.probability);
  const [x, y] = [data.x, data.y].map((text, i) => Float64Array.from(unpack(text), v => data.low[i] + data.step * v));
  const unusual = new Uint8Array(n);
  for (const i of data.unusual) unusual[i] = 1;
  for (const column of data.columns) column.codes = unpack(column.values);
  for (const column of data.texts) column.rows = unpack(column.codes);
  const selected = new Set(); // rows
  const view = { x: 0, y: 0, zoom: 1 }; // centre in units of the whole map, from 0 to 1
  const CROWD = 5000, CELL = 3; // more rows are drawn as density, in cells of so many pixels
  let width = 0, height = 0, focus = -1, drag = null, selecting = false, waiting = false, sprites = new Map();
  let hidden = new Set(), radius = n > 800 ? 3.5 : 5;

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

  function download(name, type, text) {
    const link = element("a", { download: name, href: URL.createObjectURL(new Blob([text], { type })) });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

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
    button("Zoom in", () => zoom(1.5)), button("Zoom out", () => zoom(1 / 1.5)), button("Whole map", () => zoom(1e-9)),
    selectButton, clearButton, saveButton, told);
  const canvas = element("canvas", {
    tabindex: "0", role: "application", "aria-label": "Map of " + n + " rows", "aria-describedby": "map-help map-row",
  });
  const tip = element("div", { class: "map-tip" }), row = element("p", { id: "map-row", class: "map-row", "aria-live": "polite" });
  const legend = element("fieldset", { class: "map-legend" });
  const help = element("p", { id: "map-help", class: "map-help" },
    "Point at a row to see it; click it to select it. Drag to move the map, drag with Shift to select an area, and use " +
    "the wheel with Ctrl to zoom. Keys: arrows go from row to row, + and − zoom, 0 shows the whole map, space selects, " +
    "Escape clears." +
    (data.total > n ? " The map has " + n + " of the " + data.total + " rows, evenly spaced." : ""));
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
  const shade = new Uint16Array(n);
  let palette = [], mode = "cluster";
  const numeric = column => column && column.categories === undefined;
  const value = (column, i) => column.low + column.step * column.codes[i];
  const level = (column, v) => Math.max(0, Math.min(LEVELS - 1, Math.floor((v - column.ends[0]) / (column.ends[1] - column.ends[0] || 1) * LEVELS)));
  const groups = data.clusters, group = i => cluster[i], chosen = () => data.columns[mode];

  function recolour() {
    const column = chosen();
    let names = null, ends = null;
    if (mode === "cluster") {
      palette = groups.map(each => rgb(each.look[0]));
      names = groups.map((each, m) => m + (each.name === "cluster " + m ? "" : " " + each.name) + " (" + each.rows + ")");
      for (let i = 0; i < n; i++) shade[i] = group(i);
    } else if (mode === "unusual") {
      palette = [GREY, [213, 94, 0]];
      names = ["usual", "unusual (" + data.unusual.length + ")"];
      shade.set(unusual);
    } else if (numeric(column) || mode === "probability") {
      palette = [...ramp, GREY];
      ends = mode === "probability" ? ["0", "1"] : column.ends.map(v => shown(column, v));
      for (let i = 0; i < n; i++) {
        if (mode === "probability") shade[i] = Math.min(LEVELS - 1, probability[i] / (MISSING - 1) * LEVELS);
        else shade[i] = column.codes[i] === MISSING ? LEVELS : level(column, value(column, i));
      }
    } else {
      palette = [...column.categories.map((_, k) => rgb(data.looks[k % data.looks.length][0])), GREY];
      names = column.categories.slice();
      for (let i = 0; i < n; i++) shade[i] = column.codes[i] === MISSING ? names.length : column.codes[i];
      if (shade.includes(names.length)) names.push("missing");
    }
    hidden = new Set();
    sprites = new Map();
    const title = mode === "cluster" ? "Clusters shown" : column ? column.name : modes.selectedOptions[0].textContent;
    legend.replaceChildren(element("legend", {}, title));
    if (ends) legend.append(element("span", {}, ends[0]), element("span", { class: "ramp" }), element("span", {}, ends[1]));
    for (const [k, name] of (names || []).entries()) {
      const box = element("input", { type: "checkbox", checked: "" });
      box.addEventListener("change", () => {
        if (box.checked) hidden.delete(k); else hidden.add(k);
        if (focus >= 0 && hidden.has(shade[focus])) show(-1);
        changed();
      });
      const key = element("canvas", { class: "key-mark", width: 32, height: 32, "aria-hidden": "true" });
      paint(key.getContext("2d"), mode === "cluster" ? groups[k].look[1] : "o", palette[k], 16, 10);
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
  const toX = u => width / 2 + (u - view.x) * scale(), toY = u => height / 2 + (u - view.y) * scale();
  const visible = i => !hidden.has(shade[i]);

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

  function paint(pen, shape, fill, middle, r) {
    marker(pen, shape, middle, middle, r);
    pen.fillStyle = "rgb(" + fill.join() + ")";
    pen.fill();
    pen.lineWidth = 0.6;
    pen.strokeStyle = colour("--card");
    pen.stroke();
  }

  function sprite(m, k) { // a small picture of every marker is faster than a path for every row
    const name = m + " " + k, ratio = devicePixelRatio || 1, size = Math.ceil(4 * radius + 2);
    if (!sprites.has(name)) {
      const made = document.createElement("canvas");
      made.width = made.height = size * ratio;
      made.side = size;
      made.getContext("2d").scale(ratio, ratio);
      paint(made.getContext("2d"), groups[m].look[1], palette[k], size / 2, radius);
      sprites.set(name, made);
    }
    return sprites.get(name);
  }

  function draw() {
    waiting = false;
    const ratio = devicePixelRatio || 1, inside = [];
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const s = scale(), ox = width / 2 - view.x * s, oy = height / 2 - view.y * s;
    for (let i = 0; i < n; i++) {
      const x = ox + ux[i] * s, y = oy + uy[i] * s;
      if (visible(i) && x > -9 && y > -9 && x < width + 9 && y < height + 9) inside.push(i);
    }
    const crowded = inside.length > CROWD, first = mode === "unusual" ? inside.filter(i => !unusual[i]) : inside;
    if (crowded) drawDensity(first, s, ox, oy);
    for (const i of crowded ? inside.filter(i => mode === "unusual" && unusual[i]) : inside) {
      const image = sprite(group(i), shade[i]);
      context.drawImage(image, ox + ux[i] * s - image.side / 2, oy + uy[i] * s - image.side / 2, image.side, image.side);
    }
    context.lineWidth = 2;
    context.strokeStyle = colour("--ink");
    for (const i of selected) if (visible(i)) ring(i, radius + 2);
    if (groups.length > 1) drawLabels(inside, s, ox, oy);
    context.strokeStyle = colour("--link");
    context.lineWidth = 3;
    if (focus >= 0) ring(focus, radius + 5);
    if (drag && drag.area) {
      context.lineWidth = 1;
      context.strokeRect(...rectangle());
    }
  }

  function drawDensity(rows, s, ox, oy) { // the mean colour of a cell; the more rows, the denser
    const w = Math.ceil(width / CELL), h = Math.ceil(height / CELL), counts = new Uint32Array(w * h), sums = new Float32Array(3 * w * h);
    let top = 1;
    for (const i of rows) {
      const cx = Math.floor((ox + ux[i] * s) / CELL), cy = Math.floor((oy + uy[i] * s) / CELL);
      if (cx < 0 || cy < 0 || cx >= w || cy >= h) continue;
      const cell = cy * w + cx, c = palette[shade[i]];
      top = Math.max(top, ++counts[cell]);
      for (let k = 0; k < 3; k++) sums[3 * cell + k] += c[k];
    }
    const image = new ImageData(w, h);
    for (let cell = 0; cell < counts.length; cell++) {
      if (!counts[cell]) continue;
      for (let k = 0; k < 3; k++) image.data[4 * cell + k] = sums[3 * cell + k] / counts[cell];
      image.data[4 * cell + 3] = 90 + 165 * Math.log(counts[cell]) / Math.max(Math.log(top), 1e-9);
    }
    const small = document.createElement("canvas");
    small.width = w;
    small.height = h;
    small.getContext("2d").putImageData(image, 0, 0);
    context.imageSmoothingEnabled = false;
    context.drawImage(small, 0, 0, w * CELL, h * CELL);
    context.imageSmoothingEnabled = true;
  }

  function write(text, x, y, align, size = "bold 13px") {
    context.font = size + " system-ui, sans-serif";
    context.textAlign = align;
    context.textBaseline = "middle";
    context.lineWidth = 4;
    context.strokeStyle = colour("--card");
    context.strokeText(text, x, y);
    context.fillStyle = colour("--ink");
    context.fillText(text, x, y);
  }

  // Labels: the free place that is nearest to the middle of the cluster, with a line to it
  function drawLabels(inside, s, ox, oy) {
    const SIDE = 6, TALL = 3, w = Math.ceil(width / SIDE), h = Math.ceil(height / SIDE), taken = new Uint8Array(w * h);
    const sums = groups.map(() => [0, 0, 0]), total = new Uint32Array((w + 1) * (h + 1)), boxes = []; // total: taken cells above and left
    for (const i of inside) {
      const x = ox + ux[i] * s, y = oy + uy[i] * s, sum = sums[group(i)];
      for (const a of [x - radius, x + radius]) for (const b of [y - radius, y + radius]) {
        const cx = Math.floor(a / SIDE), cy = Math.floor(b / SIDE);
        if (cx >= 0 && cy >= 0 && cx < w && cy < h) taken[cy * w + cx] = 1;
      }
      sum[0] += x; sum[1] += y; sum[2]++;
    }
    for (let j = 0; j < h; j++) for (let i = 0, line = 0; i < w; i++) {
      line += taken[j * w + i];
      total[(j + 1) * (w + 1) + i + 1] = total[j * (w + 1) + i + 1] + line;
    }
    context.font = "bold 13px system-ui, sans-serif";
    groups.forEach((each, m) => {
      if (!sums[m][2]) return;
      const name = m + (each.name === "cluster " + m || width < 600 ? "" : " " + each.name), text = name.length > 26 ? name.slice(0, 25) + "…" : name;
      const cx = sums[m][0] / sums[m][2], cy = sums[m][1] / sums[m][2], wide = Math.ceil((context.measureText(text).width + 8) / SIDE);
      let best = null, least = Infinity;
      for (let j = 1; j + TALL < h; j++) for (let i = 1; i + wide < w; i++) {
        const dx = (i + wide / 2) * SIDE - cx, dy = (j + TALL / 2) * SIDE - cy, distance = dx * dx + 2 * dy * dy, corner = j * (w + 1) + i, down = TALL * (w + 1);
        if (distance >= least || total[corner + down + wide] + total[corner] > total[corner + down] + total[corner + wide]) continue;
        if (boxes.every(([a, b, c]) => i > c || i + wide < a || Math.abs(j - b) > TALL)) { least = distance; best = [i, j, i + wide]; }
      }
      if (!best) return; // the legend has it
      boxes.push(best);
      const [x0, y0, x1] = best.map(v => v * SIDE), y1 = y0 + TALL * SIDE;
      context.beginPath();
      context.moveTo(Math.max(x0, Math.min(cx, x1)), Math.max(y0, Math.min(cy, y1)));
      context.lineTo(cx, cy);
      context.lineWidth = 1;
      context.strokeStyle = colour("--ink");
      context.stroke();
      write(text, (x0 + x1) / 2, (y0 + y1) / 2, "center");
    });
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
  function shown(column, v) {
    if (v === null) return "–";
    if (column.date) return new Date(v * 864e5).toISOString().slice(0, 10);
    return String(column.step === 1 && Number.isInteger(v) ? v : Number(v.toPrecision(4)));
  }

  function words(i) {
    const m = group(i), lines = [], differ = [];
    if (groups.length > 1) lines.push("cluster " + m + " " + (groups[m].name === "cluster " + m ? "" : groups[m].name) + ", probability " + (probability[i] / (MISSING - 1)).toFixed(2));
    if (unusual[i]) lines.push("unusual");
    for (const column of data.columns) {
      const code = column.codes[i];
      if (code === MISSING || column === chosen()) continue;
      if (!column.means) lines.push(column.name + " " + column.categories[code]);
      else if (column.categories) differ.push([1 - column.means[m][code], column.name + "=" + column.categories[code]]);
      else differ.push([Math.abs(value(column, i) - column.means[m]) / (column.spread || 1), column.name + " " + shown(column, value(column, i)) + " (its cluster " + shown(column, column.means[m]) + ")"]);
    }
    const column = chosen();
    if (column) lines.push(column.name + " " + (column.codes[i] === MISSING ? "missing" : column.categories ? column.categories[column.codes[i]] : shown(column, value(column, i))));
    lines.push(...differ.sort((a, b) => b[0] - a[0]).slice(0, 3).map(each => each[1]));
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
      if (distance < least && visible(i)) { least = distance; best = i; }
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
      if (i >= 0) pick(i);
      show(i);
    } else if (drag.area) {
      const [x, y, w, h] = rectangle();
      for (let i = 0; i < n; i++) {
        const dx = toX(ux[i]) - x, dy = toY(uy[i]) - y;
        if (visible(i) && dx >= 0 && dx <= w && dy >= 0 && dy <= h) selected.add(i);
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

  function pick(i) {
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
      if (along > 0 && beside <= along && cost < least && visible(i)) { least = cost; best = i; }
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
    else if (event.key === "0") zoom(1e-9);
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
    const rank = (name, i) => (name === text || name === "row " + text ? 0 : name.startsWith(text) ? 1 : name.includes(text) ? 2
      : others.some(([found, codes]) => found[codes[i]]) ? 3 : 4);
    matches = !text ? [] : data.names.map((name, i) => [rank(name.toLowerCase(), i), i]).filter(([r, i]) => r < 4 && visible(i)).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
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
    const lines = [...selected].sort((a, b) => a - b).map(i => [quoted(data.names[i]), group(i),
      (probability[i] / (MISSING - 1)).toFixed(4), unusual[i], x[i].toFixed(4), y[i].toFixed(4)].join(","));
    download("selection.csv", "text/csv", ["row,cluster,probability,unusual,x,y", ...lines].join("\n") + "\n");
  }

  function resize() {
    const ratio = devicePixelRatio || 1;
    width = stage.clientWidth;
    height = Math.round(Math.max(280, Math.min(width * Math.max(0.5, Math.min(0.8, tall / wide)), 0.75 * innerHeight)));
    canvas.style.height = height + "px";
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    sprites = new Map();
    redraw();
  }
  recolour();
  new ResizeObserver(() => { if (stage.clientWidth && stage.clientWidth !== width) resize(); }).observe(stage);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { recolour(); resize(); });
  resize();
  changed();
})();
