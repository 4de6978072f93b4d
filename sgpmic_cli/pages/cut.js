// Merge, split and rename clusters in the tree of the order in which they merge.
"use strict";
(() => {
  const place = document.querySelector(".cut");
  if (!place || !sgpmicMap) return;
  const { data, element, button, download, setGroups } = sgpmicMap, { clusters, places, rows, merges } = data.tree;
  const count = clusters.length, names = new Map(); // names that the user gave
  const leaves = node => (node < count ? [node] : merges[node - count].flatMap(leaves));
  const own = node => [...new Set(leaves(node).map(leaf => clusters[leaf]))];
  const size = node => leaves(node).reduce((sum, leaf) => sum + rows[leaf], 0);
  const top = count + merges.length - 1, nodes = Array.from({ length: top + 1 }, (_, node) => node);
  const isCluster = node => own(node).length === 1 && leaves(node).length === clusters.filter(m => m === own(node)[0]).length;
  const start = () => new Set(nodes.filter(isCluster));
  let cut = start();

  function proposed(node) {
    if (isCluster(node)) return data.clusters[own(node)[0]].name;
    if (node < count) return data.clusters[clusters[node]].name + ", part " + (clusters.indexOf(clusters[node]) === node ? 1 : 2);
    return own(node).map(m => data.clusters[m].name).join(" or ");
  }

  const name = node => names.get(node) || proposed(node);
  const look = node => data.looks[node < count && !isCluster(node) && clusters.indexOf(clusters[node]) !== node ? data.clusters.length + clusters[node] : own(node)[0]];
  const ordered = () => [...cut].sort((a, b) => leaves(a)[0] - leaves(b)[0]);

  function change(action, focus) {
    action();
    show();
    const next = place.querySelector('[data-node="' + focus + '"]');
    if (next) next.focus();
  }

  function branch(node) {
    const text = size(node).toLocaleString("en") + " rows", children = node < count ? [] : merges[node - count];
    if (!cut.has(node)) {
      const merge = button("Merge", () => change(() => { for (const each of [...cut]) if (leaves(each).every(leaf => leaves(node).includes(leaf))) cut.delete(each); cut.add(node); }, node));
      merge.setAttribute("aria-label", "Merge these " + text);
      return element("li", {}, merge, " " + text, element("ul", {}, ...children.map(branch)));
    }
    const field = element("input", { value: name(node), "aria-label": "Name of the cluster with " + text, "data-node": node, maxlength: 200 });
    field.addEventListener("change", () => { names.set(node, field.value.trim()); show(); });
    const swatch = element("span", { class: "swatch" }), line = element("li", {}, swatch, field, " " + text + " ");
    swatch.style.background = look(node)[0];
    if (children.length) {
      const split = button("Split", () => change(() => { cut.delete(node); children.forEach(child => cut.add(child)); }, children[0]));
      split.setAttribute("aria-label", "Split " + name(node));
      line.append(split);
    }
    return line;
  }

  function save() {
    const found = { table: data.table, sizes: data.clusters.map(each => each.rows),
      leaves: clusters.map((cluster, leaf) => ({ cluster, place: places[leaf] })),
      clusters: ordered().map(node => ({ name: name(node), leaves: leaves(node) })) };
    download("cut.json", "application/json", JSON.stringify(found, null, 1) + "\n");
  }

  const tree = element("ul", { class: "tree" }), told = element("output", {});
  place.append(tree, element("div", { class: "tools" }, button("Save as cut.json", save),
    button("As fitted", () => change(() => { cut = start(); names.clear(); })), told));

  function show() {
    const found = ordered(), ofLeaf = [];
    found.forEach((node, m) => { for (const leaf of leaves(node)) ofLeaf[leaf] = m; });
    tree.replaceChildren(branch(top));
    told.textContent = found.length + (found.length === 1 ? " cluster" : " clusters");
    setGroups(found.map(node => ({ name: name(node), rows: size(node), look: look(node) })), ofLeaf);
  }
  show();
})();
