import { createActor, fromTransition, getNextTransitions } from "xstate"
import type { AnyActorScope, AnyEventObject, AnyMachineSnapshot, AnyStateMachine, AnyStateNode } from "xstate"

/** What a chart can come to, by sample events and the timers that it sets itself. */
interface Exploration {
  /** Every state that was ever entered, were it only to go on from it at once. */
  readonly entered: ReadonlySet<string>
  /** The states that nothing led out of, of those in which the chart came to rest. */
  readonly deadEnds: ReadonlySet<string>
  /** Every state value the chart came to rest in, and whether any event leaves it. */
  readonly values: ReadonlyMap<string, { readonly leaves: boolean }>
  /** How many snapshots were told apart. */
  readonly size: number
}

export interface ExplorationOptions {
  readonly machine: AnyStateMachine
  readonly events: ReadonlyArray<AnyEventObject>
  /** One exploration begins with each; none where the chart takes no input. */
  readonly inputs?: ReadonlyArray<object>
  /** What of the context makes a difference; what is left out must not let states multiply. */
  readonly project: (snapshot: AnyMachineSnapshot) => unknown
}

/** More snapshots than this mean that the projection tells too many apart. */
const sizeMax = 20_000

/**
 * Walks a chart breadth first. Timers are fired in any order, whatever their delay; commands go nowhere.
 * States are named by their ids, `pod.onNode.starting`.
 */
export const explore = ({ machine, events, inputs, project }: ExplorationOptions): Exploration => {
  const entered = new Set<string>()
  const rested = new Set<string>()
  const left = new Set<string>()
  const values = new Map<string, { leaves: boolean }>()
  const seen = new Set<string>()
  const queue: Array<AnyMachineSnapshot> = []

  const scopes = (inputs ?? [{}]).map((input) => ({
    input,
    scope: inertScope(machine, input, (node) => entered.add(node))
  }))
  const visit = (snapshot: AnyMachineSnapshot): void => {
    if (snapshot.status === "error") throw new Error("the chart failed", { cause: snapshot.error })
    for (const { id } of snapshot._nodes) entered.add(id)
    for (const { id } of atomic(snapshot)) rested.add(id)
    const value = JSON.stringify(snapshot.value)
    if (!values.has(value)) values.set(value, { leaves: false })
    const key = `${value} ${JSON.stringify(project(snapshot))}`
    if (seen.has(key)) return
    if (seen.size >= sizeMax) throw new Error(`more than ${sizeMax} snapshots: project the context further`)
    seen.add(key)
    queue.push(snapshot)
  }

  for (const id of initialStates(machine.root)) entered.add(id)
  for (const { input, scope } of scopes) visit(machine.getInitialSnapshot(scope, input))
  const [first] = scopes
  for (let snapshot = queue.shift(); snapshot !== undefined; snapshot = queue.shift()) {
    if (first === undefined || snapshot.status !== "active") continue
    for (const event of [...events, ...timersOf(snapshot)]) {
      const next = machine.transition(snapshot, event, first.scope)
      const now = new Set(atomic(next).map(({ id }) => id))
      for (const { id } of atomic(snapshot)) if (!now.has(id)) left.add(id)
      const value = values.get(JSON.stringify(snapshot.value))
      if (value !== undefined && JSON.stringify(next.value) !== JSON.stringify(snapshot.value))
        value.leaves = true
      visit(next)
    }
  }
  // The chart itself is always entered, and no state of it.
  entered.delete(machine.root.id)
  const deadEnds = [...rested].filter((id) => !left.has(id))
  return { entered, deadEnds: new Set(deadEnds), values, size: seen.size }
}

/** The timers that run in a snapshot, as the events they will be. */
const timersOf = (snapshot: AnyMachineSnapshot): ReadonlyArray<AnyEventObject> => {
  const names = getNextTransitions(snapshot).map(({ eventType }) => eventType)
  return [...new Set(names)].filter((name) => name.startsWith("xstate.after.")).map((type) => ({ type }))
}

const atomic = (snapshot: AnyMachineSnapshot): ReadonlyArray<AnyStateNode> =>
  snapshot._nodes.filter(({ type }) => type === "atomic" || type === "final")

/** A scope in which nothing happens, with a parent for charts that tell theirs; it sees every microstep. */
const inertScope = (
  machine: AnyStateMachine,
  input: object,
  onEnter: (id: string) => void
): AnyActorScope => {
  const parent = createActor(
    fromTransition((state: null) => state, null),
    {
      inspect: (event) => {
        if (event.type !== "@xstate.microstep" || !("_nodes" in event.snapshot)) return
        const { _nodes: nodes } = event.snapshot as unknown as AnyMachineSnapshot
        for (const { id } of nodes) onEnter(id)
      }
    }
  )
  const self = createActor(machine, { parent, input })
  return {
    self,
    id: "",
    sessionId: "",
    logger: () => {},
    defer: () => {},
    stopChild: () => {},
    emit: () => {},
    actionExecutor: () => {},
    system: self.system
  }
}

/** Where a chart begins, before anything leads on from there. */
const initialStates = (node: AnyStateNode): ReadonlyArray<string> => {
  const first: ReadonlyArray<AnyStateNode> =
    node.type === "parallel" ? Object.values(node.states) : (node.initial?.target ?? [])
  return first.flatMap((child) => [child.id, ...initialStates(child)])
}

/** Ids of all states of a chart but the chart itself. */
export const statesOf = (machine: AnyStateMachine): ReadonlyArray<string> => {
  const under = (node: AnyStateNode): ReadonlyArray<string> =>
    Object.values(node.states).flatMap((child: AnyStateNode) => [child.id, ...under(child)])
  return under(machine.root)
}
