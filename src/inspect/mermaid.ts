import { actionNames, eventText, eventWord, guardName, lastWord } from "./charts/words.ts"
import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from "xstate"

/**
 * Draws a statechart as Mermaid text (`stateDiagram-v2`), as GitHub shows it.
 *
 * What Mermaid cannot draw is drawn as what it can. An arrow may not run from a state to its own insides: it starts at
 * a box "anywhere in …" instead. It may not leave a region other than the first: it leaves the state with the regions,
 * and says `in …`. What changes no state stands as a line in the box. `(1)`, `(2)`, … say in which order alternatives
 * are asked.
 *
 * Source: mermaid, packages/mermaid/src/diagrams/state/parser/stateDiagram.jison, dataFetcher.ts.
 */
export const mermaidOf = (machine: AnyStateMachine): string => mermaidOfState(machine.root)

/** Draws one state of a chart with its insides, as if it were a chart of its own. */
export const mermaidOfState = (root: AnyStateNode): string => {
  const drawing = makeDrawing(root)
  const body = root.type === "parallel" ? boxOf(drawing, root) : documentOf(drawing, root)
  const across = drawing.arrows.filter(({ home }) => home === undefined).map(arrowLine)
  const moving = nodesUnder(root).filter((node) => isAtomic(node) && node.tags.includes("moving"))
  const styles =
    moving.length === 0
      ? []
      : ["classDef moving stroke-dasharray:4", `class ${moving.map(drawing.idOf).join(",")} moving`]
  return ["stateDiagram-v2", ...indented([...body, ...across, ...styles])].join("\n")
}

interface Drawing {
  readonly root: AnyStateNode
  readonly idOf: (node: AnyStateNode) => string
  readonly arrows: ReadonlyArray<Arrow>
  /** What is written into a state's box below its name, or into its "anywhere" box where it has insides. */
  readonly linesOf: (node: AnyStateNode) => ReadonlyArray<string>
}

interface Arrow {
  readonly from: string
  readonly to: string
  readonly label: string
  /** The state inside which both ends lie directly; undefined for one that crosses a border. */
  readonly home: AnyStateNode | undefined
}

const makeDrawing = (root: AnyStateNode): Drawing => {
  const idOf = makeIds(root)
  const arrows: Array<Arrow> = []
  const lines = new Map<AnyStateNode, Array<string>>()
  const write = (node: AnyStateNode, line: string): void => {
    lines.set(node, [...(lines.get(node) ?? []), line])
  }
  for (const node of [root, ...nodesUnder(root)]) {
    if (isAtomic(node)) for (const line of entriesOf(node)) write(node, line)
    for (const move of movesOf(node)) {
      const { source, target, label } = lifted(move)
      if (target === undefined) {
        write(source, label)
        continue
      }
      if (!isWithin(target, root)) continue
      const inward = target !== source && isWithin(target, source)
      const outward = isWithin(source, target) && !(source === target && isAtomic(source))
      if (inward && source.type !== "parallel") {
        const home = target.parent === source ? source : undefined
        arrows.push({ from: anywhereIn(idOf(source)), to: idOf(target), label, home })
      } else if (inward || outward) write(source, `${label} → ${target.key}`)
      else {
        const home = target.parent === source.parent ? source.parent : undefined
        arrows.push({ from: idOf(source), to: idOf(target), label, home })
      }
    }
  }
  return { root, idOf, arrows, linesOf: (node) => lines.get(node) ?? [] }
}

/** A state with insides, and where it is drawn: its regions side by side, or one document. */
const boxOf = (drawing: Drawing, node: AnyStateNode): ReadonlyArray<string> => {
  const title = [node.key, ...entriesOf(node)].join(" · ")
  const regions = childrenOf(node).map((child) => boxOf(drawing, child))
  const lines = drawing.linesOf(node)
  const own = lines.length === 0 ? [] : [anywhereBox(drawing, node)]
  const inside =
    node.type === "parallel"
      ? [...regions, ...own].flatMap((region, index) => (index === 0 ? region : ["--", ...region]))
      : documentOf(drawing, node)
  return [`state "${title}" as ${drawing.idOf(node)} {`, ...indented(inside), "}"]
}

const documentOf = (drawing: Drawing, node: AnyStateNode): ReadonlyArray<string> => {
  const { idOf, arrows, linesOf } = drawing
  const own = arrows.filter(({ home }) => home === node)
  const startsAnywhere = arrows.some(({ from }) => from === anywhereIn(idOf(node)))
  const first = childrenOf(node).find((child) =>
    node.initial.target.some((target: AnyStateNode) => isWithin(target, child))
  )
  return [
    ...childrenOf(node).flatMap((child) =>
      isAtomic(child) ? leafOf(drawing, child) : boxOf(drawing, child)
    ),
    ...(startsAnywhere || linesOf(node).length > 0 ? anywhereBox(drawing, node) : []),
    ...(first === undefined ? [] : [`[*] --> ${idOf(first)}`]),
    ...own.map(arrowLine),
    ...childrenOf(node).flatMap((child) => (child.type === "final" ? [`${idOf(child)} --> [*]`] : []))
  ]
}

const leafOf = ({ idOf, linesOf }: Drawing, node: AnyStateNode): ReadonlyArray<string> => {
  const id = idOf(node)
  const lines = linesOf(node)
  if (lines.length === 0 && id === node.key) return [id]
  return [`state "${node.key}" as ${id}`, ...lines.map((line) => `${id} : ${line}`)]
}

const anywhereIn = (id: string): string => `anywhere_${id}`

const anywhereBox = ({ root, idOf, linesOf }: Drawing, node: AnyStateNode): ReadonlyArray<string> => {
  const id = anywhereIn(idOf(node))
  const name = node === root ? "anywhere" : `anywhere in ${node.key}`
  return [`state "${name}" as ${id}`, ...linesOf(node).map((line) => `${id} : ${line}`)]
}

const arrowLine = ({ from, to, label }: Arrow): string =>
  label === "" ? `${from} --> ${to}` : `${from} --> ${to} : ${label}`

interface Move {
  readonly source: AnyStateNode
  readonly target: AnyStateNode | undefined
  readonly label: string
}

const movesOf = (node: AnyStateNode): ReadonlyArray<Move> => {
  const groups = [...node.transitions.values(), node.always ?? []]
  return groups.flatMap((alternatives) =>
    alternatives.flatMap((transition, index) => {
      const order = alternatives.length > 1 ? index + 1 : undefined
      const label = labelOf(transition, order)
      const targets: ReadonlyArray<AnyStateNode | undefined> = transition.target ?? [undefined]
      return targets.map((target) => ({ source: node, target, label }))
    })
  )
}

/** Brings both ends out of the regions that lie between them. */
const lifted = ({ source, target, label }: Move): Move => {
  if (target === undefined) return { source, target, label }
  const from = outermostParallel(source, target) ?? source
  const to = outermostParallel(target, source) ?? target
  return { source: from, target: to, label: from === source ? label : `in ${source.key}, ${label}` }
}

/** The outermost state with regions that holds `node` in one of them, and does not hold `other`. */
const outermostParallel = (node: AnyStateNode, other: AnyStateNode): AnyStateNode | undefined => {
  let found: AnyStateNode | undefined
  for (let at = node.parent; at !== undefined && !isWithin(other, at); at = at.parent) {
    if (at.type === "parallel") found = at
  }
  return found
}

/** `event (order) [guard] / actions`, whatever there is of it. */
const labelOf = (transition: AnyTransitionDefinition, order: number | undefined): string => {
  const event = eventText(eventWord(transition.eventType))
  const guard = guardName(transition.guard)
  const actions = transition.actions.flatMap(actionNames).map(lastWord)
  const otherwise = order !== undefined && guard === undefined && event === ""
  const nothing = transition.target === undefined && actions.length === 0
  const words = [
    ...(event === "" ? [] : [event]),
    ...(order === undefined ? [] : [`(${order})`]),
    ...(guard === undefined ? [] : [`[${lastWord(guard)}]`]),
    ...(otherwise ? ["else"] : []),
    ...(actions.length === 0 ? [] : ["/", actions.join(", ")]),
    ...(nothing ? ["is ignored"] : [])
  ]
  return plain(words.join(" "))
}

const entriesOf = (node: AnyStateNode): ReadonlyArray<string> => {
  const [entry = [], exit = []] = [node.entry, node.exit].map((said) =>
    said.flatMap(actionNames).map(lastWord)
  )
  return [
    ...(entry.length === 0 ? [] : [plain(`entry / ${entry.join(", ")}`)]),
    ...(exit.length === 0 ? [] : [plain(`exit / ${exit.join(", ")}`)])
  ]
}

/** Mermaid ends a label at a colon or a semicolon, and a title at a quote. */
const plain = (text: string): string => text.replace(/[:;"{}\n]/g, " ")

const childrenOf = (node: AnyStateNode): ReadonlyArray<AnyStateNode> => Object.values(node.states)
const isAtomic = (node: AnyStateNode): boolean => childrenOf(node).length === 0
const nodesUnder = (node: AnyStateNode): ReadonlyArray<AnyStateNode> =>
  childrenOf(node).flatMap((child) => [child, ...nodesUnder(child)])

const isWithin = (node: AnyStateNode, outer: AnyStateNode): boolean => {
  for (let at: AnyStateNode | undefined = node; at !== undefined; at = at.parent)
    if (at === outer) return true
  return false
}

const indented = (lines: ReadonlyArray<string>): ReadonlyArray<string> => lines.map((line) => `  ${line}`)

/** Words that mean something to Mermaid where a name could stand. */
const reserved: ReadonlySet<string> = new Set([
  "class",
  "classDef",
  "default",
  "direction",
  "note",
  "scale",
  "state"
])

/** A state's own name where no other state has it, else as much of its path as tells it apart. */
const makeIds = (root: AnyStateNode): ((node: AnyStateNode) => string) => {
  const pathOf = (node: AnyStateNode): ReadonlyArray<string> => [
    root.key,
    ...node.path.slice(root.path.length)
  ]
  const ids = new Map<AnyStateNode, string>()
  const candidates = (node: AnyStateNode): ReadonlyArray<string> =>
    pathOf(node).map((_key, index, path) =>
      path
        .slice(path.length - 1 - index)
        .join("_")
        .replace(/\W/g, "_")
    )
  const counts = new Map<string, number>()
  for (const node of [root, ...nodesUnder(root)]) {
    for (const id of candidates(node)) counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  for (const node of [root, ...nodesUnder(root)]) {
    const all = candidates(node)
    ids.set(node, all.find((id) => counts.get(id) === 1 && !reserved.has(id)) ?? all.join("_"))
  }
  return (node) => ids.get(node) ?? node.key
}
