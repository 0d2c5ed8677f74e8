import {
  addInitialStates,
  ancestorsOf,
  ancestorsUpTo,
  childStates,
  historyStates,
  initialChild,
  isAtomic,
  isBelow,
  isHistory
} from "./stateTree.ts"
import type { AnyStateNode, AnyTransitionDefinition } from "xstate"
import type { ChartHistory } from "./configuration.ts"

/** `byDefault`: states whose initial transition is taken. */
export class EntrySet {
  readonly states = new Set<AnyStateNode>()
  readonly byDefault = new Set<AnyStateNode>()
  readsHistory = false
  readonly #history: ChartHistory

  constructor(history: ChartHistory) {
    this.#history = history
  }

  add(transition: AnyTransitionDefinition): void {
    const { target = [], source, reenter } = transition
    const domain = domainOf(transition, this.#history)
    const staysInSource = source === domain && !reenter
    for (const state of target) {
      if (state !== source || !staysInSource) this.#enterByDefault(state)
      this.#addBelow(state)
    }
    const isRootReentered = source.parent === undefined && reenter
    for (const state of effectiveTargets(target, this.#history)) {
      const ancestors = [...ancestorsUpTo(state, domain)]
      if (domain?.type === "parallel") ancestors.push(domain)
      this.#addAncestors(ancestors, isRootReentered ? undefined : domain)
    }
  }

  addInitial(root: AnyStateNode): void {
    const initialStates = new Set<AnyStateNode>()
    addInitialStates(root, initialStates)
    for (const state of initialStates) {
      this.#enterByDefault(state)
      this.#addBelow(state)
    }
  }

  #enterByDefault(state: AnyStateNode): void {
    if (isHistory(state)) return
    this.states.add(state)
    this.byDefault.add(state)
  }

  #addBelow(state: AnyStateNode): void {
    if (isHistory(state)) this.#addTargetsOfHistory(state)
    else if (state.type === "parallel") this.#addRegions(state)
    else if (state.type === "compound") this.#addInitialChild(state)
  }

  #addRegions(parallel: AnyStateNode): void {
    for (const region of childStates(parallel)) {
      if (this.#hasStateBelow(region)) continue
      this.#enterByDefault(region)
      this.#addBelow(region)
    }
  }

  #addInitialChild(compound: AnyStateNode): void {
    const initial = initialChild(compound)
    if (initial === undefined) return
    this.#enterByDefault(initial)
    this.#addBelow(initial)
    this.#addAncestors(ancestorsUpTo(initial, compound), undefined)
  }

  #addTargetsOfHistory(historyState: AnyStateNode): void {
    this.readsHistory = true
    const { parent } = historyState
    const { targets, isInitialOfParent } = historyTargets(historyState, this.#history)
    for (const target of targets) {
      this.states.add(target)
      if (isInitialOfParent && parent !== undefined) this.byDefault.add(parent)
      this.#addBelow(target)
    }
    for (const target of targets) this.#addAncestors(ancestorsUpTo(target, parent), undefined)
  }

  /** Adds the ancestors below the domain, and the regions of all that are parallel. */
  #addAncestors(ancestors: ReadonlyArray<AnyStateNode>, domain: AnyStateNode | undefined): void {
    for (const ancestor of ancestors) {
      if (isBelow(ancestor, domain)) this.states.add(ancestor)
      if (ancestor.type !== "parallel") continue
      for (const region of childStates(ancestor)) {
        if (this.#hasStateBelow(region)) continue
        this.states.add(region)
        this.#addBelow(region)
      }
    }
  }

  #hasStateBelow(state: AnyStateNode): boolean {
    for (const entered of this.states) if (isBelow(entered, state)) return true
    return false
  }
}

/** The active states that the transitions leave. */
export const exitSet = (
  transitions: ReadonlyArray<AnyTransitionDefinition>,
  active: ReadonlyArray<AnyStateNode>,
  history: ChartHistory
): ReadonlyArray<AnyStateNode> => {
  const domains = transitions
    .filter(({ target }) => target !== undefined && target.length > 0)
    .map((transition) => domainOf(transition, history))
  return active.filter((state) => domains.some((domain) => isBelow(state, domain)))
}

/** Of two transitions that leave the same state, that of the inner state is taken. */
export const withoutConflicts = (
  transitions: ReadonlyArray<AnyTransitionDefinition>,
  active: ReadonlyArray<AnyStateNode>,
  history: ChartHistory
): ReadonlyArray<AnyTransitionDefinition> => {
  let compatible: ReadonlyArray<AnyTransitionDefinition> = []
  for (const transition of transitions) {
    const exits = new Set(exitSet([transition], active, history))
    const conflicting = compatible.filter((other) =>
      exitSet([other], active, history).some((state) => exits.has(state))
    )
    if (!conflicting.every(({ source }) => isBelow(transition.source, source))) continue
    compatible = [...compatible.filter((other) => !conflicting.includes(other)), transition]
  }
  return compatible
}

/**
 * The domain of a transition, in SCXML's terms: the innermost state that stays active. Undefined if not even the root
 * stays.
 */
export const domainOf = (
  { target = [], source, reenter }: AnyTransitionDefinition,
  history: ChartHistory
): AnyStateNode | undefined => {
  const targets = effectiveTargets(target, history)
  if (!reenter && targets.every((state) => state === source || isBelow(state, source))) return source
  const [first, ...others] = [...targets, source]
  const common =
    first && ancestorsOf(first).find((ancestor) => others.every((other) => isBelow(other, ancestor)))
  return common ?? (reenter ? undefined : source.machine.root)
}

/** The targets without history states: those have targets of their own. */
const effectiveTargets = (
  targets: ReadonlyArray<AnyStateNode>,
  history: ChartHistory
): ReadonlyArray<AnyStateNode> => {
  const effective = targets.flatMap((target) =>
    isHistory(target) ? effectiveTargets(historyTargets(target, history).targets, history) : [target]
  )
  return [...new Set(effective)]
}

interface HistoryTargets {
  readonly targets: ReadonlyArray<AnyStateNode>
  /** Whether the initial transition of the history state's parent leads to them. */
  readonly isInitialOfParent: boolean
}

const historyTargets = (historyState: AnyStateNode, history: ChartHistory): HistoryTargets => {
  const { id, parent, machine, config } = historyState
  const remembered = history[id]
  if (remembered !== undefined) return { targets: remembered, isInitialOfParent: false }
  if (parent === undefined) return { targets: [], isInitialOfParent: false }
  const { target = "" } = config as { readonly target?: string | ReadonlyArray<string> }
  if (target !== "") {
    const toState = (path: string): AnyStateNode =>
      path.startsWith("#") ? machine.getStateNodeById(path) : stateAt(parent, path)
    return { targets: [target].flat().map(toState), isInitialOfParent: false }
  }
  if (parent.type === "parallel") return { targets: [parent], isInitialOfParent: false }
  return { targets: parent.initial.target as ReadonlyArray<AnyStateNode>, isInitialOfParent: true }
}

/** A backslash escapes a dot in a key. */
const stateAt = (above: AnyStateNode, path: string): AnyStateNode => {
  let state = above
  for (const key of path.split(/(?<!\\)\./)) {
    const child = (state.states as Readonly<Record<string, AnyStateNode>>)[key.replaceAll("\\", "")]
    if (child === undefined) throw new Error(`Child state '${key}' does not exist on '${state.id}'`)
    state = child
  }
  return state
}

export const rememberedHistory = (
  exits: ReadonlyArray<AnyStateNode>,
  active: ReadonlyArray<AnyStateNode>
): ChartHistory | undefined => {
  const remembered = exits.flatMap((exited) =>
    historyStates(exited).map((node) => {
      const isRemembered = (state: AnyStateNode): boolean =>
        node.history === "deep" ? isAtomic(state) && isBelow(state, exited) : state.parent === exited
      return [node.id, active.filter(isRemembered)] as const
    })
  )
  return remembered.length === 0 ? undefined : Object.fromEntries(remembered)
}
