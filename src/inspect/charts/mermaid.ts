import { actionNames, chartEventText, parseEventType, guardName, withoutStrategyName } from "./chartNames.ts"
import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from "xstate"

/**
 * Mermaid's `stateDiagram-v2`, with workarounds for arrows to inner states and across borders. `(1)`, `(2)`, … number
 * the alternatives. Source: mermaid, packages/mermaid/src/diagrams/state/parser/stateDiagram.jison, dataFetcher.ts.
 */
export const mermaidOf = (machine: AnyStateMachine): string => mermaidOfState(machine.root)

export const mermaidOfState = (root: AnyStateNode): string => {
  const drawing = makeDrawing(root)
  const body = root.type === "parallel" ? boxOf(drawing, root) : linesInside(drawing, root)
  const crossingArrows = drawing.arrows
    .filter(({ commonParent }) => commonParent === undefined)
    .map(arrowLine)
  const moving = nodesUnder(root).filter((node) => isAtomic(node) && node.tags.includes("moving"))
  const styles =
    moving.length === 0
      ? []
      : ["classDef moving stroke-dasharray:4", `class ${moving.map(drawing.idOf).join(",")} moving`]
  return ["stateDiagram-v2", ...indented([...body, ...crossingArrows, ...styles])].join("\n")
}

interface Drawing {
  readonly root: AnyStateNode
  readonly idOf: (node: AnyStateNode) => string
  readonly arrows: ReadonlyArray<Arrow>
  /** Lines in the state's box, or in its "anywhere" box if it has child states. */
  readonly linesOf: (node: AnyStateNode) => ReadonlyArray<string>
}

interface Arrow {
  readonly from: string
  readonly to: string
  readonly label: string
  /** Undefined if the arrow crosses a border. */
  readonly commonParent: AnyStateNode | undefined
}

const makeDrawing = (root: AnyStateNode): Drawing => {
  const idOf = makeIds(root)
  const arrows: Array<Arrow> = []
  const lines = new Map<AnyStateNode, Array<string>>()
  const addLine = (node: AnyStateNode, line: string): void => {
    lines.set(node, [...(lines.get(node) ?? []), line])
  }
  for (const node of [root, ...nodesUnder(root)]) {
    if (isAtomic(node)) for (const line of entryExitLines(node)) addLine(node, line)
    for (const edge of edgesOf(node)) {
      const { source, target, label } = withEndsOutsideRegions(edge)
      if (target === undefined) {
        addLine(source, label)
        continue
      }
      if (!isWithin(target, root)) continue
      const inward = target !== source && isWithin(target, source)
      const outward = isWithin(source, target) && !(source === target && isAtomic(source))
      if (inward && source.type !== "parallel") {
        const commonParent = target.parent === source ? source : undefined
        arrows.push({ from: anywhereIn(idOf(source)), to: idOf(target), label, commonParent })
      }
      // Mermaid draws no arrow between a state and one that is around it.
      else if (inward || outward) addLine(source, `${label} → ${target.key}`)
      else {
        const commonParent = target.parent === source.parent ? source.parent : undefined
        arrows.push({ from: idOf(source), to: idOf(target), label, commonParent })
      }
    }
  }
  return { root, idOf, arrows, linesOf: (node) => lines.get(node) ?? [] }
}

const boxOf = (drawing: Drawing, node: AnyStateNode): ReadonlyArray<string> => {
  const title = [node.key, ...entryExitLines(node)].join(" · ")
  const regions = childrenOf(node).map((child) => boxOf(drawing, child))
  const lines = drawing.linesOf(node)
  const anywhereBoxes = lines.length === 0 ? [] : [anywhereBox(drawing, node)]
  const inside =
    node.type === "parallel"
      ? [...regions, ...anywhereBoxes].flatMap((region, index) => (index === 0 ? region : ["--", ...region]))
      : linesInside(drawing, node)
  return [`state "${title}" as ${drawing.idOf(node)} {`, ...indented(inside), "}"]
}

const linesInside = (drawing: Drawing, node: AnyStateNode): ReadonlyArray<string> => {
  const { idOf, arrows, linesOf } = drawing
  const ownArrows = arrows.filter(({ commonParent }) => commonParent === node)
  const startsAnywhere = arrows.some(({ from }) => from === anywhereIn(idOf(node)))
  const initialChild = childrenOf(node).find((child) =>
    node.initial.target.some((target: AnyStateNode) => isWithin(target, child))
  )
  return [
    ...childrenOf(node).flatMap((child) =>
      isAtomic(child) ? atomicStateLines(drawing, child) : boxOf(drawing, child)
    ),
    ...(startsAnywhere || linesOf(node).length > 0 ? anywhereBox(drawing, node) : []),
    ...(initialChild === undefined ? [] : [`[*] --> ${idOf(initialChild)}`]),
    ...ownArrows.map(arrowLine),
    ...childrenOf(node).flatMap((child) => (child.type === "final" ? [`${idOf(child)} --> [*]`] : []))
  ]
}

const atomicStateLines = ({ idOf, linesOf }: Drawing, node: AnyStateNode): ReadonlyArray<string> => {
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

interface Edge {
  readonly source: AnyStateNode
  readonly target: AnyStateNode | undefined
  readonly label: string
}

const edgesOf = (node: AnyStateNode): ReadonlyArray<Edge> => {
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

/** Mermaid draws no arrows into or out of the regions of a parallel state. */
const withEndsOutsideRegions = ({ source, target, label }: Edge): Edge => {
  if (target === undefined) return { source, target, label }
  const from = outermostParallelAround(source, target) ?? source
  const to = outermostParallelAround(target, source) ?? target
  return { source: from, target: to, label: from === source ? label : `in ${source.key}, ${label}` }
}

const outermostParallelAround = (node: AnyStateNode, otherEnd: AnyStateNode): AnyStateNode | undefined => {
  let outermost: AnyStateNode | undefined
  for (let at = node.parent; at !== undefined && !isWithin(otherEnd, at); at = at.parent) {
    if (at.type === "parallel") outermost = at
  }
  return outermost
}

/** `event (order) [guard] / actions`. */
const labelOf = (transition: AnyTransitionDefinition, order: number | undefined): string => {
  const event = chartEventText(parseEventType(transition.eventType))
  const guard = guardName(transition.guard)
  const actions = transition.actions.flatMap(actionNames).map(withoutStrategyName)
  const isElse = order !== undefined && guard === undefined && event === ""
  const isIgnored = transition.target === undefined && actions.length === 0
  const words = [
    ...(event === "" ? [] : [event]),
    ...(order === undefined ? [] : [`(${order})`]),
    ...(guard === undefined ? [] : [`[${withoutStrategyName(guard)}]`]),
    ...(isElse ? ["else"] : []),
    ...(actions.length === 0 ? [] : ["/", actions.join(", ")]),
    ...(isIgnored ? ["is ignored"] : [])
  ]
  return withoutSyntax(words.join(" "))
}

const entryExitLines = (node: AnyStateNode): ReadonlyArray<string> => {
  const [entry = [], exit = []] = [node.entry, node.exit].map((actions) =>
    actions.flatMap(actionNames).map(withoutStrategyName)
  )
  return [
    ...(entry.length === 0 ? [] : [withoutSyntax(`entry / ${entry.join(", ")}`)]),
    ...(exit.length === 0 ? [] : [withoutSyntax(`exit / ${exit.join(", ")}`)])
  ]
}

/** These characters end a label or title in Mermaid. */
const withoutSyntax = (text: string): string => text.replace(/[:;"{}\n]/g, " ")

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

const mermaidKeywords: ReadonlySet<string> = new Set([
  "class",
  "classDef",
  "default",
  "direction",
  "note",
  "scale",
  "state"
])

/** A state's name if it is unique, else as much of its path as needed. */
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
    const nodeCandidates = candidates(node)
    ids.set(
      node,
      nodeCandidates.find((id) => counts.get(id) === 1 && !mermaidKeywords.has(id)) ??
        nodeCandidates.join("_")
    )
  }
  return (node) => ids.get(node) ?? node.key
}
