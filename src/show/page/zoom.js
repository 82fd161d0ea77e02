/*
 * Moving about: zooming and panning by wheel, mouse and keys. Time and addresses zoom together or
 * each by itself; both canvases show the same time.
 */

/* The least that is shown: some instants, and some bytes that a size can still be read from. */
const LEAST_TIME = Math.min(4, nodes.length), LEAST_BYTES = Math.min(256, data.arena);

function clampedTo(from, to, least, most) {
	const span = Math.min(Math.max(to - from, least), most);
	const at = span === to - from ? from : (from + to - span) / 2;
	const start = Math.min(Math.max(at, 0), most - span);

	return [start, start + span];
}

function setView(t0, t1, a0, a1) {
	[view.t0, view.t1] = clampedTo(t0, t1, LEAST_TIME, nodes.length);
	[view.a0, view.a1] = clampedTo(a0, a1, LEAST_BYTES, data.arena);
	byId("range").textContent = `instants ${commas(Math.floor(view.t0))} to ` +
		`${commas(Math.ceil(view.t1) - 1)} of ${commas(nodes.length)}, addresses ` +
		`${human(view.a0)} to ${human(view.a1)}`;
	byId("range").dataset.view = [view.t0, view.t1, view.a0, view.a1].join(" ");
	move();
}

/* [from, to) by a factor, of which no less than `least` stays, so that `at` keeps its place. */
function scaled(from, to, at, factor, least) {
	const by = Math.max(factor, least / (to - from));

	return by === 1 ? [from, to] : [at - (at - from) * by, at + (to - at) * by];
}

/* Zooms by factors so that the instant t and the address a stay where they are. */
function zoom(t, a, byTime, byBytes) {
	setView(...scaled(view.t0, view.t1, t, byTime, LEAST_TIME),
		...scaled(view.a0, view.a1, a, byBytes, LEAST_BYTES));
}

function zoomMiddle(by) {
	zoom((view.t0 + view.t1) / 2, (view.a0 + view.a1) / 2, by, by);
}

function pan(time, bytes) {
	const t = time * (view.t1 - view.t0), a = bytes * (view.a1 - view.a0);

	setView(view.t0 + t, view.t1 + t, view.a0 + a, view.a1 + a);
}

const whole = () => setView(0, nodes.length, 0, data.arena);

/* Shows a buffer with some room around it. */
function zoomTo(b) {
	const first = b.persistent ? 0 : b.first, last = b.persistent ? nodes.length : b.last + 1;
	const time = Math.max((last - first) * 0.2, 2), bytes = b.bytes * 1.5;

	setView(first - time, last + time, b.offset - bytes, b.offset + b.bytes + bytes);
}

/* ---- wheel and mouse ---- */

function listen(s) {
	const at = e => {
		const r = s.canvas.getBoundingClientRect();

		return { x: e.clientX - r.left, y: e.clientY - r.top };
	};
	const address = y => s === upper ? upper.a(y) : (view.a0 + view.a1) / 2;
	let grip = null;

	s.canvas.addEventListener("wheel", e => {
		const p = at(e), lines = e.deltaMode === 1 ? 20 : 1;

		e.preventDefault();
		if (Math.abs(e.deltaX) > Math.abs(e.deltaY) && !e.shiftKey) {
			pan(e.deltaX * lines / s.plot.w, 0);
			return;
		}
		const by = Math.exp((e.deltaY || e.deltaX) * lines * 0.0016);

		zoom(s.t(p.x), address(p.y), e.altKey ? 1 : by, e.shiftKey || s === lower ? 1 : by);
		hover(s, p, e);
	}, { passive: false });

	s.canvas.addEventListener("pointerdown", e => {
		const p = at(e);

		if (e.button !== 0)
			return;
		s.canvas.setPointerCapture(e.pointerId);
		grip = { ...p, view: { ...view }, moved: false, frame: e.shiftKey && s === upper };
	});

	s.canvas.addEventListener("pointermove", e => {
		const p = at(e);

		if (!grip) {
			hover(s, p, e);
			return;
		}
		if (!grip.moved && Math.hypot(p.x - grip.x, p.y - grip.y) < 4)
			return;
		grip.moved = true;
		unhover();
		if (grip.frame) {
			state.frame = { x0: grip.x, y0: grip.y, x1: p.x, y1: p.y };
			redraw(1);
			return;
		}
		s.canvas.classList.add("drags");
		const v = grip.view, t = (grip.x - p.x) / s.plot.w * (v.t1 - v.t0);
		const a = s === upper ? (p.y - grip.y) / s.plot.h * (v.a1 - v.a0) : 0;

		setView(v.t0 + t, v.t1 + t, v.a0 + a, v.a1 + a);
	});

	s.canvas.addEventListener("pointerup", e => {
		const p = at(e), was = grip;

		grip = null;
		s.canvas.classList.remove("drags");
		if (was && !was.moved)
			clicked(s, p);
		if (was && was.moved && was.frame) {
			const [x0, x1] = [was.x, p.x].sort((a, b) => a - b);
			const [y0, y1] = [was.y, p.y].sort((a, b) => a - b);

			state.frame = null;
			setView(s.t(x0), s.t(x1), upper.a(y1), upper.a(y0));
		}
	});

	s.canvas.addEventListener("pointercancel", () => {
		grip = state.frame = null;
		s.canvas.classList.remove("drags");
		redraw(1);
	});

	s.canvas.addEventListener("dblclick", e => {
		const p = at(e), b = s === upper ? under(p) : null;

		if (b)
			zoomTo(b);
		else
			zoom(s.t(p.x), address(p.y), 0.5, s === upper ? 0.5 : 1);
	});

	s.canvas.addEventListener("pointerleave", unhover);
}

function under(p) {
	const { plot } = upper, slack = 3 / plot.h * (view.a1 - view.a0);
	const near = Math.floor(2 / plot.w * (view.t1 - view.t0));

	if (p.x < plot.x || p.x >= plot.x + plot.w || p.y < plot.y - 3 || p.y > plot.y + plot.h + 3)
		return null;
	return bufferAt(Math.floor(upper.t(p.x)), upper.a(p.y), slack, near);
}

function instantUnder(s, p) {
	const t = Math.floor(s.t(p.x)), inside = p.x >= s.plot.x && p.x < s.plot.x + s.plot.w;

	return inside && t >= 0 && t < nodes.length ? t : null;
}

function clicked(s, p) {
	const t = instantUnder(s, p);

	if (t !== null)
		setInstant(t);
	if (s === upper)
		select(under(p));
}

/* ---- keys ---- */

const keys = {
	ArrowLeft: () => pan(-0.1, 0),
	ArrowRight: () => pan(0.1, 0),
	ArrowUp: () => pan(0, 0.1),
	ArrowDown: () => pan(0, -0.1),
	"+": () => zoomMiddle(0.7),
	"=": () => zoomMiddle(0.7),
	"-": () => zoomMiddle(1 / 0.7),
	0: whole,
	Home: whole,
	",": () => setInstant(Math.max(state.instant - 1, 0)),
	".": () => setInstant(Math.min(state.instant + 1, nodes.length - 1)),
	p: () => setInstant(data.peak),
	"/": () => byId("search").focus(),
	Escape: () => clearAll(),
};

document.addEventListener("keydown", e => {
	const typing = e.target instanceof HTMLInputElement;
	/* arrows scroll the lists unless the picture has the focus */
	const drawn = e.target instanceof HTMLCanvasElement;

	if (e.ctrlKey || e.metaKey || e.altKey || (typing && e.key !== "Escape") ||
	    (e.key.startsWith("Arrow") && !drawn) || !Object.hasOwn(keys, e.key))
		return;
	e.preventDefault();
	keys[e.key]();
});
