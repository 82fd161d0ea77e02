"use strict";

/*
 * The plan: what the page's data say, and an index that finds the buffers of a stretch of time.
 */
const data = JSON.parse(document.getElementById("data").textContent);

const kinds = data.kinds.map(([name, heading, colour, dark]) =>
	({ name, heading, colour, ink: dark ? "#fff" : "#111" }));

const nodes = data.nodes.map(([operator, path, line, file, live, again]) =>
	({ operator, path, line, file, live, again }));

const buffers = data.buffers.map(([name, kind, line, file, bytes, offset, first, last, persistent,
	shape, again], id) => ({ id, name, kind, line, file, bytes, offset, first, last, again,
	shape, persistent: persistent === 1, shared: [] }));

for (const [buffer, instant, how, name] of data.shared)
	buffers[buffer].shared.push({ instant, how, name });

const persistent = buffers.filter(b => b.persistent).sort((a, b) => a.offset - b.offset);

/*
 * Transient buffers by their first instant, and over them a tree of the latest last instant, so
 * that a stretch of time finds its k buffers among n in O(k log n):
 *
 *	latest[1] = max over all; latest[i] = max(latest[2i], latest[2i + 1])
 */
const byFirst = buffers.filter(b => !b.persistent).sort((a, b) => a.first - b.first || a.id - b.id);
let leaves = 1;
while (leaves < byFirst.length)
	leaves *= 2;
const latest = new Int32Array(2 * leaves).fill(-1);
byFirst.forEach((b, i) => { latest[leaves + i] = b.last; });
for (let i = leaves - 1; i > 0; i--)
	latest[i] = Math.max(latest[2 * i], latest[2 * i + 1]);

/* Calls visit with every transient buffer alive at some instant of [from, to], until one returns
 * false; returns whether none did. */
function eachAlive(from, to, visit) {
	const pending = [[1, 0, leaves]];

	while (pending.length) {
		const [node, low, high] = pending.pop();

		if (latest[node] < from || low >= byFirst.length || byFirst[low].first > to)
			continue;
		if (node >= leaves) {
			if (visit(byFirst[low]) === false)
				return false;
			continue;
		}
		const middle = (low + high) / 2;
		pending.push([2 * node + 1, middle, high], [2 * node, low, middle]);
	}
	return true;
}

/* What is drawn while the picture moves, where there are too many buffers to draw all in a frame:
 * those that take the most bytes for the longest. */
const MANY = 15000;
const area = b => b.bytes * (b.persistent ? nodes.length : b.last + 1 - b.first);
const heavy = buffers.length <= MANY ? buffers :
	buffers.slice().sort((a, b) => area(b) - area(a)).slice(0, MANY);

/* The buffers alive at some instant of [from, to]: all, or the heavy ones of very many. */
function aliveIn(from, to, all) {
	let alive = persistent.slice();

	if (!eachAlive(from, to, b => { alive.push(b); return all || alive.length <= MANY; }))
		alive = heavy.filter(b => b.persistent || (b.first <= to && b.last >= from));
	return alive;
}

/* The buffer at an address and instant, or one that misses it by little: by no more than `slack`
 * bytes, or when there is none, by `near` instants. */
function bufferAt(instant, address, slack, near) {
	let best = null, off = Infinity;
	const consider = b => {
		const by = Math.max(b.offset - address, address - b.offset - b.bytes, 0);

		if (by < off && by <= slack) {
			best = b;
			off = by;
		}
	};

	if (instant < 0 || instant >= nodes.length)
		return null;
	eachAlive(instant, instant, consider);
	let low = 0, high = persistent.length;
	while (low < high) {
		const middle = (low + high) >> 1;

		if (persistent[middle].offset <= address)
			low = middle + 1;
		else
			high = middle;
	}
	persistent.slice(Math.max(low - 1, 0), low + 1).forEach(consider);
	if (!best && near > 0)
		eachAlive(instant - near, instant + near, consider);
	return best;
}

/* Everything alive at an instant, the largest first. */
function aliveAt(instant) {
	const alive = persistent.slice();

	eachAlive(instant, instant, b => alive.push(b));
	return alive.sort((a, b) => b.bytes - a.bytes || a.id - b.id);
}

/* Bytes alive by kind and instant, and the order to stack them in: what stays lies lowest. */
const liveByKind = kinds.map(() => new Float64Array(nodes.length + 1));
for (const b of buffers) {
	liveByKind[b.kind][b.persistent ? 0 : b.first] += b.bytes;
	if (!b.persistent)
		liveByKind[b.kind][b.last + 1] -= b.bytes;
}
for (const live of liveByKind)
	for (let t = 1; t < live.length; t++)
		live[t] += live[t - 1];
const stays = new Set(persistent.map(b => b.kind));
const stacking = kinds.map((_, k) => k).sort((a, b) => stays.has(b) - stays.has(a) || a - b);

/* As the program's own texts have it: "9.66 GiB", "512 B". */
function human(bytes) {
	const units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
	let u = -1;

	if (bytes < 1024)
		return `${Math.round(bytes)} B`;
	do {
		bytes /= 1024;
		u++;
	} while (u < 5 && bytes >= 1023.995);
	return `${bytes.toFixed(bytes < 99.95 ? 2 : 1)} ${units[u]}`;
}

const commas = n => n.toLocaleString("en-US");

const place = x => `${x.file < 0 ? data.path || "line " : data.files[x.file]}:${x.line}`
	.replace("line :", "line ");

function regionOf(instant) {
	const region = data.regions.find(([, , last]) => instant <= last);

	return region ? region[0] : "";
}

const nodeText = instant =>
	`${nodes[instant].path} (${nodes[instant].operator}, ${regionOf(instant)})`;
