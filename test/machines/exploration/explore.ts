import { createActor, fromTransition, getNextTransitions } from "xstate"
import type { AnyActorScope, AnyEventObject, AnyMachineSnapshot, AnyStateMachine, AnyStateNode } from "xstate"

interface Exploration {
  /** Every state that was entered, even if it was left at once. */
  readonly entered: ReadonlySet<string>
  /** The resting states that no event leaves. */
  readonly deadEnds: ReadonlySet<string>
  /** Every state value of a resting chart, and whether an event leaves it. */
  readonly values: ReadonlyMap<string, { readonly leaves: boolean }>
  readonly size: number
}

export interface ExplorationOptions {
  readonly machine: AnyStateMachine
  readonly events: ReadonlyArray<AnyEventObject>
  /** One exploration starts with each; none for a chart without input. */
  readonly inputs?: ReadonlyArray<object>
  /** The part of the context that matters; anything else would multiply the snapshots. */
  readonly project: (snapshot: AnyMachineSnapshot) => unknown
}

/** More snapshots than this mean that the projection is too fine. */
const sizeMax = 20_000

/**
 * Walks a chart breadth first. Timers fire in any order, whatever their delay; commands are dropped. States are
 * named by their ids, `pod.onNode.starting`.
 */
export const explore = ({ machine, events, inputs, project }: ExplorationOptions): Exploration => {
  const entered = new Set<string>()
  const restingStates = new Set<string>()
  const leftStates = new Set<string>()
  const values = new Map<string, { leaves: boolean }>()
  const visited = new Set<string>()
  const queue: Array<AnyMachineSnapshot> = []

  const scopes = (inputs ?? [{}]).map((input) => ({
    input,
    scope: inertScope(machine, input, (node) => entered.add(node))
  }))
  const visit = (snapshot: AnyMachineSnapshot): void => {
    if (snapshot.status === "error") throw new Error("the chart failed", { cause: snapshot.error })
    for (const { id } of snapshot._nodes) entered.add(id)
    for (const { id } of atomic(snapshot)) restingStates.add(id)
    const value = JSON.stringify(snapshot.value)
    if (!values.has(value)) values.set(value, { leaves: false })
    const key = `${value} ${JSON.stringify(project(snapshot))}`
    if (visited.has(key)) return
    if (visited.size >= sizeMax)
      throw new Error(`more than ${sizeMax} snapshots: project the context further`)
    visited.add(key)
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
      for (const { id } of atomic(snapshot)) if (!now.has(id)) leftStates.add(id)
      const value = values.get(JSON.stringify(snapshot.value))
      if (value !== undefined && JSON.stringify(next.value) !== JSON.stringify(snapshot.value))
        value.leaves = true
      visit(next)
    }
  }
  // The root of the chart is always entered and is no state of it.
  entered.delete(machine.root.id)
  const deadEnds = [...restingStates].filter((id) => !leftStates.has(id))
  return { entered, deadEnds: new Set(deadEnds), values, size: visited.size }
}

/** The running timers of a snapshot, as the events that they will send. */
const timersOf = (snapshot: AnyMachineSnapshot): ReadonlyArray<AnyEventObject> => {
  const names = getNextTransitions(snapshot).map(({ eventType }) => eventType)
  return [...new Set(names)].filter((name) => name.startsWith("xstate.after.")).map((type) => ({ type }))
}

const atomic = (snapshot: AnyMachineSnapshot): ReadonlyArray<AnyStateNode> =>
  snapshot._nodes.filter(({ type }) => type === "atomic" || type === "final")

/** A scope without effects, with a parent for charts that send to it; it sees every microstep. */
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

const initialStates = (node: AnyStateNode): ReadonlyArray<string> => {
  const first: ReadonlyArray<AnyStateNode> =
    node.type === "parallel" ? Object.values(node.states) : (node.initial?.target ?? [])
  return first.flatMap((child) => [child.id, ...initialStates(child)])
}

export const statesOf = (machine: AnyStateMachine): ReadonlyArray<string> => {
  const under = (node: AnyStateNode): ReadonlyArray<string> =>
    Object.values(node.states).flatMap((child: AnyStateNode) => [child.id, ...under(child)])
  return under(machine.root)
}
