/*
 * Drawing: the plan and the curve of live bytes, each on a canvas, with what follows the pointer on
 * a second canvas above it, so that a move of the mouse draws nothing anew.
 */
const byId = id => document.getElementById(id);
const LEFT = 74, RIGHT = 14, TOP = 22, BOTTOM = 26;
const font = (size, weight = "") => `${weight} ${size}px system-ui, sans-serif`;

/* What is seen: instants [t0, t1) and addresses [a0, a1). */
const view = { t0: 0, t1: nodes.length, a0: 0, a1: data.arena };
const state = { hover: null, selected: null, instant: data.peak, pointer: null, wanted: null,
	kind: -1, frame: null };

/* ---- a canvas, its margins and its scales ---- */

function surface(id, marks, bottom) {
	const canvas = byId(id), s = { canvas, bottom, marks: byId(marks) };

	s.resize = () => {
		const ratio = window.devicePixelRatio || 1;

		s.ratio = ratio;
		s.width = canvas.clientWidth;
		s.height = canvas.clientHeight;
		for (const c of [canvas, s.marks]) {
			c.width = Math.round(s.width * ratio);
			c.height = Math.round(s.height * ratio);
			c.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0);
		}
		s.plot = { x: LEFT, y: s.top, w: s.width - LEFT - RIGHT,
			h: s.height - s.top - s.bottom };
		canvas.dataset.plot = [s.plot.x, s.plot.y, s.plot.w, s.plot.h].join(" ");
	};
	s.x = t => s.plot.x + (t - view.t0) / (view.t1 - view.t0) * s.plot.w;
	s.t = x => view.t0 + (x - s.plot.x) / s.plot.w * (view.t1 - view.t0);
	return s;
}

const upper = surface("plan", "marks", BOTTOM);
upper.top = TOP;
upper.y = a => upper.plot.y + upper.plot.h - (a - view.a0) / (view.a1 - view.a0) * upper.plot.h;
upper.a = y => view.a0 + (upper.plot.y + upper.plot.h - y) / upper.plot.h * (view.a1 - view.a0);

const lower = surface("live", "livemarks", 20);
lower.top = 8;
lower.y = a => lower.plot.y + lower.plot.h * (1 - a / data.arena);

/* The colours of the moment: light, dark or paper. */
let ink = {};
function readColours() {
	const css = getComputedStyle(document.documentElement);

	for (const name of ["ground", "plot", "text", "muted", "line", "grid", "mark", "accent"])
		ink[name] = css.getPropertyValue(`--${name}`).trim();
}

function hatch(c) {
	const tile = document.createElement("canvas"), t = tile.getContext("2d");

	tile.width = tile.height = 6;
	t.strokeStyle = "#0008";
	t.lineWidth = 2;
	for (const x of [-6, 0, 6]) {
		t.beginPath();
		t.moveTo(x, 6);
		t.lineTo(x + 6, 0);
		t.stroke();
	}
	return c.createPattern(tile, "repeat");
}

/* ---- axes ---- */

function byteStep(span) {
	return 2 ** Math.max(0, Math.ceil(Math.log2(span / 9)));
}

/* A size on the axis, exact: in the unit of the top, or one of which the step is an eighth. */
function tick(bytes, step, top) {
	const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
	let u = 0;

	if (bytes === 0)
		return "0";
	while (step >= 128 && top >= 1024 && u < 6) {
		bytes /= 1024;
		step /= 1024;
		top /= 1024;
		u++;
	}
	return `${bytes.toLocaleString("en-US", { maximumFractionDigits: 3 })} ${units[u]}`;
}

/* Text of size 12, or as much smaller as it needs to be no wider than `most`. */
function fitText(c, text, x, y, most) {
	c.font = font(12);
	c.font = font(Math.min(12, 12 * most / c.measureText(text).width));
	c.fillText(text, x, y);
}

function drawAddresses(c) {
	const { plot } = upper, step = byteStep(view.a1 - view.a0);

	c.textAlign = "right";
	c.textBaseline = "middle";
	for (let a = Math.ceil(view.a0 / step) * step; a <= view.a1; a += step) {
		const y = Math.round(upper.y(a)) + 0.5;

		c.fillStyle = ink.grid;
		c.fillRect(plot.x - 4, y - 0.5, plot.w + 4, 1);
		c.fillStyle = ink.text;
		fitText(c, tick(a, step, view.a1), plot.x - 8, y, plot.x - 10);
	}
}

/* The parts of the step, named below the plan, each where it is seen. */
function drawRegions(c) {
	const { plot } = upper, y = plot.y + plot.h + 7;
	let free = 0;

	c.font = font(13);
	c.textAlign = "center";
	c.textBaseline = "top";
	for (const [name, first, last] of data.regions) {
		const from = Math.max(upper.x(first), plot.x);
		const to = Math.min(upper.x(last + 1), plot.x + plot.w);

		if (to <= from)
			continue;
		c.fillStyle = ink.muted;
		c.fillRect(from + 1, plot.y + plot.h + 2, Math.max(to - from - 2, 1), 3);
		const half = c.measureText(name).width / 2;
		const at = Math.min((from + to) / 2, plot.x + plot.w - half);

		if (at - half < free)
			continue;
		free = at + half + 8;
		c.fillStyle = ink.text;
		c.fillText(name, at, y);
	}
}

function drawBoundaries(c, s) {
	c.strokeStyle = ink.muted;
	c.setLineDash([1, 3]);
	c.beginPath();
	for (const [, first] of data.regions.slice(1)) {
		const x = Math.round(s.x(first)) + 0.5;

		c.moveTo(x, s.plot.y);
		c.lineTo(x, s.plot.y + s.plot.h);
	}
	c.stroke();
	c.setLineDash([]);
}

function peakLine(c, s, from) {
	const x = s.x(data.peak + 0.5);

	c.strokeStyle = ink.mark;
	c.setLineDash([5, 3]);
	c.beginPath();
	c.moveTo(x, from);
	c.lineTo(x, s.plot.y + s.plot.h);
	c.stroke();
	c.setLineDash([]);
}

function namePeak(c) {
	const { plot } = upper, x = upper.x(data.peak + 0.5), left = x > plot.x + plot.w / 2;

	if (x < plot.x || x > plot.x + plot.w)
		return;
	c.font = font(12);
	c.fillStyle = ink.text;
	c.textAlign = left ? "right" : "left";
	c.textBaseline = "middle";
	c.fillRect(x - 0.5, 5, 1, plot.y - 5);
	const text = `peak: ${human(nodes[data.peak].live)} at instant ${commas(data.peak)}`;
	const long = `${text}, ${nodes[data.peak].path}`;
	const room = left ? x : upper.width - x;

	c.fillText(c.measureText(long).width + 10 < room ? long : text, x + (left ? -5 : 5), 10);
}

/* ---- buffers ---- */

/* Snapped to the pixels of the screen, so that neighbours neither overlap nor let through what is
 * behind them; at least one pixel, as everything that is there is to be seen. */
function boxOf(b) {
	const { plot, ratio } = upper, snap = v => Math.round(v * ratio) / ratio, one = 1 / ratio;
	const x0 = snap(Math.max(upper.x(b.persistent ? 0 : b.first), plot.x));
	const end = b.persistent ? nodes.length : b.last + 1;
	const x1 = snap(Math.min(upper.x(end), plot.x + plot.w));
	const y0 = snap(Math.max(upper.y(b.offset + b.bytes), plot.y));
	const y1 = snap(Math.min(upper.y(b.offset), plot.y + plot.h));

	return { x: x0, y: y0, w: Math.max(x1 - x0, one), h: Math.max(y1 - y0, one) };
}

const inSight = b => b.offset < view.a1 && b.offset + b.bytes > view.a0;
const dimmed = b => (state.wanted && !state.wanted.has(b)) ||
	(state.kind >= 0 && b.kind !== state.kind);

/* The name of a buffer and its size, or as much of the name's end as fits: two parts at least. */
function fitted(c, b, along, across) {
	const size = across >= 13 ? 11 : across >= 10 ? 9 : 0, parts = b.name.split(".");

	if (!size || along < 24)
		return null;
	c.font = font(size);
	const fits = text => c.measureText(text).width <= along - 6;

	for (const text of [`${b.name}, ${human(b.bytes)}`, b.name])
		if (fits(text))
			return { text, size };
	while (parts.length > 2) {
		parts.shift();
		const text = `\u2026${parts.join(".")}`;

		if (fits(text))
			return { text, size };
	}
	return null;
}

/* Level if that leaves more of the name than upright would, else upright. */
function drawName(c, b, box) {
	const level = fitted(c, b, box.w, box.h), up = fitted(c, b, box.h, box.w);
	const upright = up && (!level || up.text.length > level.text.length);
	const name = upright ? up : level;

	if (!name)
		return;
	c.save();
	c.translate(box.x + box.w / 2, box.y + box.h / 2);
	if (upright)
		c.rotate(-Math.PI / 2);
	c.font = font(name.size);
	c.fillStyle = kinds[b.kind].ink;
	c.fillText(name.text, 0, 1);
	c.restore();
}

function fill(c, b, x, y, w, h) {
	c.globalAlpha = dimmed(b) ? 0.16 : 1;
	c.fillStyle = kinds[b.kind].colour;
	c.fillRect(x, y, w, h);
}

/* Slivers first, by powers of two of their bytes: where many share a pixel it takes the colour of
 * the largest. Then the rest, with a gap of a pixel, and what lies above: hatching, names. */
function drawBuffers(c) {
	const slivers = Array.from({ length: 64 }, () => []), bodies = [], one = 1 / upper.ratio;
	const gap = side => side > 3 ? one : 0;
	const sort = b => {
		if (!inSight(b))
			return;
		const box = boxOf(b);

		if (box.w <= one || box.h <= one)
			slivers[Math.floor(Math.log2(b.bytes + 1))].push([b, box]);
		else
			bodies.push([b, box]);
	};

	aliveIn(Math.floor(view.t0), Math.ceil(view.t1) - 1, !moving).forEach(sort);
	for (const list of slivers)
		for (const [b, box] of list)
			fill(c, b, box.x, box.y, box.w, box.h);
	for (const [b, box] of bodies)
		fill(c, b, box.x, box.y, box.w - gap(box.w), box.h - gap(box.h));
	c.globalAlpha = 1;
	c.fillStyle = bodies.some(([b]) => b.again >= 0) ? hatch(c) : "#000";
	for (const [b, box] of bodies)
		if (b.again >= 0) {
			c.globalAlpha = dimmed(b) ? 0.1 : 1;
			c.fillRect(box.x, box.y, box.w, box.h);
		}
	c.globalAlpha = 1;
	drawBoundaries(c, upper);
	peakLine(c, upper, upper.plot.y);
	c.textAlign = "center";
	c.textBaseline = "middle";
	for (const [b, box] of bodies) {
		c.globalAlpha = dimmed(b) ? 0.3 : 1;
		drawName(c, b, box);
	}
	c.globalAlpha = 1;
}

function clipped(c, plot, draw) {
	c.save();
	c.beginPath();
	c.rect(plot.x, plot.y, plot.w, plot.h);
	c.clip();
	draw();
	c.restore();
}

function drawPlan() {
	const c = upper.canvas.getContext("2d"), { plot } = upper;

	c.fillStyle = ink.ground;
	c.fillRect(0, 0, upper.width, upper.height);
	c.fillStyle = ink.plot;
	c.fillRect(plot.x, plot.y, plot.w, plot.h);
	drawAddresses(c);
	clipped(c, plot, () => drawBuffers(c));
	drawRegions(c);
	namePeak(c);
	c.strokeStyle = ink.muted;
	c.strokeRect(plot.x - 0.5, plot.y + 0.5, plot.w, plot.h);
}

/* ---- live bytes ---- */

function instantStep(span) {
	const ten = 10 ** Math.floor(Math.log10(Math.max(span / 10, 1)));

	return span / ten <= 12 ? ten : span / ten <= 24 ? 2 * ten : span / ten <= 60 ? 5 * ten :
		10 * ten;
}

function drawInstants(c) {
	const step = instantStep(view.t1 - view.t0), { plot } = lower;

	c.font = font(11);
	c.fillStyle = ink.muted;
	c.textAlign = "center";
	c.textBaseline = "top";
	for (let t = Math.ceil(view.t0 / step) * step; t < view.t1; t += step) {
		const x = lower.x(t + 0.5);

		if (x > plot.x + plot.w)
			break;
		c.fillRect(Math.round(x), plot.y + plot.h, 1, 4);
		c.fillText(commas(t), x, plot.y + plot.h + 6);
	}
}

/* The kinds on one another, from X on, W wide, as they are at instant t. */
function drawStack(c, t, x, w) {
	let below = 0;

	stacking.forEach(k => {
		const bytes = liveByKind[k][t];

		if (bytes === 0)
			return;
		const y = lower.y(below + bytes);

		c.fillStyle = kinds[k].colour;
		c.fillRect(x, y, w, lower.y(below) - y);
		below += bytes;
	});
}

/* A step a kernel; where many fall on one pixel, that with the most bytes stands for them. */
function drawCurve(c) {
	const from = Math.max(0, Math.floor(view.t0));
	const to = Math.min(nodes.length, Math.ceil(view.t1));
	const column = t => Math.floor(lower.x(t));
	let most = from;

	for (let t = from; t < to; t++) {
		if (column(t) !== column(most) || nodes[t].live > nodes[most].live)
			most = t;
		if (column(t + 1) !== column(most))
			drawStack(c, most, column(most), column(t + 1) - column(most));
	}
}

function drawLive() {
	const c = lower.canvas.getContext("2d"), { plot } = lower;

	c.fillStyle = ink.ground;
	c.fillRect(0, 0, lower.width, lower.height);
	c.fillStyle = ink.plot;
	c.fillRect(plot.x, plot.y, plot.w, plot.h);
	clipped(c, plot, () => {
		drawCurve(c);
		drawBoundaries(c, lower);
		peakLine(c, lower, lower.plot.y);
	});
	c.font = font(12);
	c.fillStyle = ink.text;
	c.textAlign = "right";
	c.textBaseline = "middle";
	c.fillText(human(data.arena), plot.x - 8, plot.y + 5);
	c.fillText("0", plot.x - 8, plot.y + plot.h - 2);
	c.fillStyle = ink.muted;
	c.fillText("live bytes", plot.x - 8, plot.y + plot.h / 2);
	drawInstants(c);
	c.strokeStyle = ink.muted;
	c.strokeRect(plot.x - 0.5, plot.y + 0.5, plot.w, plot.h);
}

/* ---- what follows the pointer ---- */

function outline(c, b, width) {
	const box = boxOf(b);

	if (!inSight(b) || (!b.persistent && (b.last < view.t0 - 1 || b.first > view.t1)))
		return;
	c.lineWidth = width + 2;
	c.strokeStyle = ink.ground;
	c.strokeRect(box.x, box.y, box.w, box.h);
	c.lineWidth = width;
	c.strokeStyle = ink.accent;
	c.strokeRect(box.x, box.y, box.w, box.h);
}

function markInstant(c, s, t, alpha) {
	const from = s.x(t), to = s.x(t + 1);

	c.globalAlpha = alpha;
	c.fillStyle = ink.accent;
	c.fillRect(from, s.plot.y, Math.max(to - from, 1.5), s.plot.h);
	c.globalAlpha = 1;
}

function drawMarks() {
	for (const s of [upper, lower]) {
		const c = s.marks.getContext("2d");

		c.clearRect(0, 0, s.width, s.height);
		clipped(c, s.plot, () => {
			if (state.instant !== data.peak)
				markInstant(c, s, state.instant, 0.35);
			if (state.pointer !== null)
				markInstant(c, s, state.pointer, 0.2);
			if (s !== upper)
				return;
			if (state.selected)
				outline(c, state.selected, 2.5);
			if (state.hover)
				outline(c, state.hover, 1.5);
			if (state.frame) {
				const f = state.frame;

				c.strokeStyle = ink.accent;
				c.strokeRect(f.x0, f.y0, f.x1 - f.x0, f.y1 - f.y0);
			}
		});
	}
}

/* ---- once a frame at most ---- */

let moving = 0;	/* the timer of a picture that moves: drawn whole when it rests */
function move() {
	clearTimeout(moving);
	moving = setTimeout(() => {
		moving = 0;
		if (buffers.length > MANY)
			redraw(2);
	}, 150);
	redraw(2);
}

let due = 0;	/* 1: the marks, 2: everything */
function redraw(what) {
	if (!due)
		requestAnimationFrame(() => {
			const all = due === 2;

			due = 0;
			if (all) {
				drawPlan();
				drawLive();
			}
			drawMarks();
		});
	due = Math.max(due, what);
}
