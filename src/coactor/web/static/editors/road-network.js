// A road network in the browser: links with ends and names, and routes read as streets.

/** The network as the server sends it, on a plane of 1000 units, north up. */
export function makeNetwork(data) {
  const { nodes, street, streets, kind, kinds, ids, length } = data;
  const [from, to] = [data.from, data.to];
  let places = null;
  if (nodes) {
    const [xs, ys] = [nodes.map((p) => p[0]), nodes.map((p) => p[1])];
    const [x0, y1] = [least(xs), most(ys)];
    const unit = 1000 / (Math.max(most(xs) - x0, y1 - least(ys)) || 1);
    places = nodes.map(([x, y]) => [(x - x0) * unit, (y1 - y) * unit]);
    places.put = ([x, y]) => [(x - x0) * unit, (y1 - y) * unit];
    places.unit = unit;
  }
  const back = new Map(from.map((a, link) => [`${a} ${to[link]}`, link]));
  const count = from.length;

  return {
    count,
    places,
    streets,
    length,
    from,
    to,
    start: (link) => places[from[link]],
    end: (link) => places[to[link]],
    called: (link) => streets[street[link]] || (ids ? `Link ${ids[link]}` : `Link ${link}`),
    kind: (link) => rank(kinds[kind[link]]),
    /** The same piece of road the other way, if one may drive it. */
    twin: (link) => back.get(`${to[link]} ${from[link]}`) ?? null,
    of: (name) => street.flatMap((k, link) => (streets[k] === name ? [link] : [])),
    /** The link nearest to a place, among some or all, if one is near enough; and how far it is, squared. */
    nearest([x, y], within, among = null) {
      let best = null;
      let far = within ** 2;
      const test = (link) => {
        const d = apart(x, y, places[from[link]], places[to[link]]);
        if (d < far) {
          far = d;
          best = link;
        }
      };
      if (among) among.forEach(test);
      else for (let link = 0; link < count; link += 1) test(link);
      return { link: best, far };
    },
  };
}

const least = (values) => values.reduce((a, b) => Math.min(a, b), Infinity);
const most = (values) => values.reduce((a, b) => Math.max(a, b), -Infinity);

/** How broad a road is drawn, by what its kind is called. */
function rank(kind) {
  if (/motorway|trunk|express/i.test(kind)) return "fast";
  return /main|primary|secondary|tertiary/i.test(kind) ? "broad" : "small";
}

/** The squared distance from a point to a piece of line. */
function apart(x, y, [ax, ay], [bx, by]) {
  const [dx, dy] = [bx - ax, by - ay];
  const share = Math.max(
    0,
    Math.min(1, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1)),
  );
  return (x - ax - share * dx) ** 2 + (y - ay - share * dy) ** 2;
}

/** A route as streets: neighbouring links of one name are one row; positions are those of the route. */
export function asStreets(network, links, base = 1) {
  const rows = [];
  links.forEach((link, i) => {
    const name = network.called(link);
    const length = base + i ? network.length[link] : 0; // where a trip begins is no part of it
    const last = rows.at(-1);
    if (last?.name === name) {
      last.last = base + i;
      last.links.push(link);
      last.length += length;
    } else rows.push({ name, first: base + i, last: base + i, links: [link], length });
  });
  return rows;
}

/** Both routes as one list of streets: those that stay, new ones, and old ones where they were. */
export function compare(network, before, after) {
  const rows = [];
  let [i, j] = [0, 0];
  for (const [a, b] of [...common(before, after), [before.length, after.length]]) {
    for (const row of asStreets(network, before.slice(i, a))) rows.push({ ...row, state: "old" });
    for (const row of asStreets(network, after.slice(j, b), j)) rows.push({ ...row, state: "new" });
    if (b < after.length) {
      const last = rows.at(-1);
      const link = after[b];
      if (last?.state === "kept" && last.name === network.called(link)) {
        last.last = b;
        last.links.push(link);
        last.length += network.length[link];
      } else rows.push({ ...asStreets(network, [link], b)[0], state: "kept" });
    }
    [i, j] = [a + 1, b + 1];
  }
  return rows;
}

/** The places of the longest common way of two routes. */
function common(a, b) {
  const table = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1)
      table[i][j] =
        a[i] === b[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
  }
  const pairs = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) {
      pairs.push([i, j]);
      i += 1;
      j += 1;
    } else if (table[i + 1][j] >= table[i][j + 1]) i += 1;
    else j += 1;
  }
  return pairs;
}

/** The streets that another way is about, the longest first, in the order one drives them. */
export function newStreets(network, before, after, few = 3) {
  const old = new Set(before);
  const rows = asStreets(
    network,
    after.filter((link) => !old.has(link)),
  );
  const chosen = [...rows]
    .sort((a, b) => b.length - a.length)
    .slice(0, few)
    .map((row) => row.name);
  return [...new Set(rows.map((row) => row.name).filter((name) => chosen.includes(name)))];
}
