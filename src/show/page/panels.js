/*
 * Words: the tooltip, the tensor that was chosen, what is alive at an instant, and the search.
 */

/* An element with attributes and children; strings become text, so that no name is ever markup. */
function make(tag, attributes = {}, ...children) {
	const e = document.createElement(tag);

	for (const [name, value] of Object.entries(attributes))
		if (name.startsWith("on"))
			e.addEventListener(name.slice(2), value);
		else
			e.setAttribute(name, value);
	e.append(...children);
	return e;
}

function swatch(colour) {
	const s = make("span", { class: "swatch" });

	s.style.background = colour;
	return s;
}

/* A dotted name, which may break after its dots. */
const dotted = name => name.split(/(?<=[.])/).flatMap((part, i) =>
	i ? [document.createElement("wbr"), part] : [part]);

/* ---- one tensor ---- */

const LISTED = 6;	/* in a tooltip; the panel lists all */

function sharings(b, most) {
	const lines = b.shared.slice(0, most).map(s =>
		`${s.name}, ${s.how} at instant ${commas(s.instant)}`);

	if (b.shared.length > most)
		lines.push(`and ${commas(b.shared.length - most)} more`);
	return lines.map(line => make("div", {}, line));
}

function facts(b, most) {
	const rows = [
		["kind", make("span", {}, swatch(kinds[b.kind].colour),
			`${kinds[b.kind].name} ${b.shape}`)],
		["bytes", `${human(b.bytes)} (${commas(b.bytes)})`],
		["address", `${commas(b.offset)} to ${commas(b.offset + b.bytes)}`],
		["source", place(b)],
	];

	if (b.persistent) {
		rows.push(["alive", "throughout"]);
	} else {
		rows.push(["alive", `instants ${commas(b.first)} to ${commas(b.last)}`]);
		rows.push(["from", nodeText(b.first)]);
		rows.push(["to", nodeText(b.last)]);
	}
	if (b.again >= 0)
		rows.push(["recomputed",
			`repeats instant ${commas(b.again)}, ${nodeText(b.again)}`]);
	if (b.shared.length)
		rows.push(["same bytes", make("div", {}, ...sharings(b, most))]);
	return make("dl", {}, ...rows.flatMap(([term, value]) =>
		[make("dt", {}, term), make("dd", {}, value)]));
}

function showSelected() {
	const b = state.selected;

	byId("selected").replaceChildren(...(b ? [
		make("h2", {}, ...dotted(b.name)), facts(b, Infinity),
		make("p", {}, make("button", { type: "button", onclick: () => zoomTo(b) },
			"zoom to it"))
	] : []));
}

function select(b) {
	state.selected = b;
	showSelected();
	for (const row of document.querySelectorAll("tr[data-buffer]"))
		row.classList.toggle("chosen", b !== null && row.dataset.buffer === String(b.id));
	redraw(1);
}

/* ---- the tooltip ---- */

function hover(s, p, e) {
	const b = s === upper ? under(p) : null, t = instantUnder(s, p), tip = byId("tooltip");

	state.hover = b;
	state.pointer = t;
	redraw(1);
	if (b)
		tip.replaceChildren(make("strong", {}, ...dotted(b.name)), facts(b, LISTED));
	else if (t !== null)
		tip.replaceChildren(
			make("strong", {}, `instant ${commas(t)}: ${human(nodes[t].live)} alive`),
			make("div", {}, nodeText(t)), make("div", {}, place(nodes[t])),
			...(s === upper ? [make("div", {}, "nothing lies here")] : []),
			...(nodes[t].again < 0 ? [] : [make("div", {},
				`computed again: first at ${commas(nodes[t].again)}`)]));
	tip.hidden = !b && t === null;
	if (tip.hidden)
		return;
	const { offsetWidth: w, offsetHeight: h } = tip;

	tip.style.left = `${e.clientX + 16 + w > innerWidth ? Math.max(e.clientX - w - 14, 0) :
		e.clientX + 16}px`;
	tip.style.top = `${Math.max(Math.min(e.clientY + 16, innerHeight - h - 8), 0)}px`;
}

function unhover() {
	state.hover = state.pointer = null;
	byId("tooltip").hidden = true;
	redraw(1);
}

/* ---- what is alive at an instant ---- */

const ROWS = 20;

function row(b, live) {
	return make("tr", { "data-buffer": b.id, class: b === state.selected ? "chosen" : "" },
		make("td", { class: "number" }, human(b.bytes)),
		make("td", { class: "number" }, `${(100 * b.bytes / live).toFixed(1)} %`),
		make("td", { class: "name" }, swatch(kinds[b.kind].colour), make("button",
			{ type: "button", title: kinds[b.kind].name, onclick: () => select(b),
				ondblclick: () => zoomTo(b) },
			make("span", {}, ...dotted(b.name)))),
		make("td", { class: "number", title: place(b) },
			b.file < 0 ? String(b.line) : place(b).replace(/.*\//, "")));
}

function setInstant(t) {
	const alive = aliveAt(t), live = nodes[t].live, rest = alive.slice(ROWS);
	const what = t === data.peak ? ", the peak" : "";
	const head = ["bytes", "share", "tensor", "line"].map((name, i) =>
		make("th", { scope: "col", class: i === 2 ? "" : "number" }, name));

	state.instant = t;
	byId("alive").replaceChildren(
		make("h2", {}, `Alive at instant ${commas(t)}${what}: ${human(live)}`),
		make("p", { class: "muted" }, `${nodeText(t)}, ${place(nodes[t])}`),
		make("table", {}, make("thead", {}, make("tr", {}, ...head)),
			make("tbody", {}, ...alive.slice(0, ROWS).map(b => row(b, live)))),
		make("p", { class: "muted" }, rest.length === 0 ? "" :
			`and ${commas(rest.length)} more: ` +
			human(rest.reduce((sum, b) => sum + b.bytes, 0))));
	redraw(1);
}

/* ---- search ---- */

const MATCHES = 30;

function search() {
	const words = byId("search").value.toLowerCase().split(/\s+/).filter(w => w);
	const found = words.length === 0 ? [] :
		buffers.filter(b => words.every(w => b.name.toLowerCase().includes(w)));

	found.sort((a, b) => a.persistent - b.persistent || a.id - b.id);

	state.wanted = words.length ? new Set(found) : null;
	byId("found").textContent = words.length ? `${commas(found.length)} of ` +
		commas(buffers.length) : "";
	byId("matches").replaceChildren(...(found.length ? [
		make("h2", {}, "Found"),
		make("ul", {}, ...found.slice(0, MATCHES).map(b => make("li", {},
			swatch(kinds[b.kind].colour),
			make("button", { type: "button", onclick: () => { select(b); zoomTo(b); } },
				make("span", {}, ...dotted(b.name))),
			` ${human(b.bytes)}`))),
		make("p", { class: "muted" }, found.length > MATCHES ?
			`and ${commas(found.length - MATCHES)} more` : "")
	] : []));
	redraw(2);
	return found;
}

/* The next of what was found, in the order of time. */
function nextMatch() {
	const found = search(), at = found.indexOf(state.selected);

	if (found.length === 0)
		return;
	select(found[(at + 1) % found.length]);
	zoomTo(state.selected);
}

function clearAll() {
	byId("search").value = "";
	state.kind = -1;
	showLegend();
	search();
	select(null);
	unhover();
}

/* ---- around it ---- */

function showLegend() {
	const sums = kinds.map(() => ({ n: 0, bytes: 0 })), again = buffers.some(b => b.again >= 0);

	for (const b of buffers) {
		sums[b.kind].n++;
		sums[b.kind].bytes += b.bytes;
	}
	byId("legend").replaceChildren(...kinds.flatMap((kind, i) => sums[i].n === 0 ? [] :
		[make("li", {}, make("button", { type: "button", "aria-pressed": state.kind === i,
			title: `${commas(sums[i].n)} buffers, ${human(sums[i].bytes)} in all; ` +
				"click to see these alone",
			onclick: () => {
				state.kind = state.kind === i ? -1 : i;
				showLegend();
				redraw(2);
				byId("legend").querySelector("[aria-pressed=true]")?.focus();
			} }, swatch(kind.colour), kind.heading))]),
		...(again ? [make("li", {}, make("span", { class: "swatch hatched" }),
			"recomputed")] : []));
}

function showHead() {
	const again = nodes.filter(n => n.again >= 0).length;
	const over = data.bound ? (data.arena / data.bound).toFixed(4) : "1.0000";

	byId("network").textContent = data.network;
	byId("figures").textContent = `${data.path ? `${data.path}, ` : ""}batch ` +
		`${commas(data.batch)}, ${data.target}: ${human(data.arena)} ` +
		`(${human(data.persistent)} persistent), ${over} of the lower bound` +
		`${data.optimal ? ", proved optimal" : ""}; ` +
		`${commas(buffers.length)} buffers, ${commas(nodes.length)} kernels` +
		(again ? `, ${commas(again)} of them again` : "");
}

/* At once: a canvas that changes its size is empty until it is drawn. */
function layOut() {
	readColours();
	upper.resize();
	lower.resize();
	drawPlan();
	drawLive();
	drawMarks();
}

/* On paper stand pictures of the canvases in the colours of light: of a canvas itself a browser may
 * print nothing once its size changes with the paper's. */
function paper(on) {
	document.documentElement.classList.toggle("paper", on);
	layOut();
	for (const picture of document.querySelectorAll("img"))
		picture.remove();
	for (const s of on ? [upper, lower] : [])
		s.canvas.parentNode.after(make("img", { src: s.canvas.toDataURL(), alt: "" }));
}

function start() {
	showHead();
	showLegend();
	if (nodes.length === 0) {
		byId("range").textContent = "Nothing runs: the plan has no kernels.";
		return;
	}
	layOut();
	setView(view.t0, view.t1, view.a0, view.a1);
	setInstant(data.peak);
	listen(upper);
	listen(lower);
	new ResizeObserver(layOut).observe(byId("picture"));
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", layOut);
	addEventListener("beforeprint", () => paper(true));
	addEventListener("afterprint", () => paper(false));
	byId("in").onclick = () => zoomMiddle(0.7);
	byId("out").onclick = () => zoomMiddle(1 / 0.7);
	byId("whole").onclick = whole;
	byId("peak").onclick = () => setInstant(data.peak);
	byId("search").addEventListener("input", search);
	byId("tools").addEventListener("submit", e => {
		e.preventDefault();
		nextMatch();
	});
}

start();
