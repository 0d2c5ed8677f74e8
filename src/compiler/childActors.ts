import { createActor } from "xstate"
import { clockOf } from "./schedulingClock.ts"
import { ActionArgs } from "./stepState.ts"
import type { Actor, AnyActorLogic, AnyActorRef, AnyActorScope, Snapshot } from "xstate"
import type { ChildActors, StepState } from "./stepState.ts"

export interface SpawnOptions {
  readonly id?: string | undefined
  readonly systemId?: string | undefined
  readonly syncSnapshot?: boolean | undefined
  readonly input?: unknown
}

const createChild = (
  scope: AnyActorScope,
  logic: AnyActorLogic,
  src: string | AnyActorLogic,
  { id, systemId, syncSnapshot, input }: SpawnOptions
): Actor<AnyActorLogic> => {
  refuseOptions({ id, systemId, syncSnapshot })
  return createActor(logic, {
    ...(id === undefined ? {} : { id }),
    parent: scope.self,
    clock: clockOf(scope),
    src,
    input,
    ...syncOf(syncSnapshot)
  })
}

/** XState persists `syncSnapshot` only if it was given. */
const syncOf = (syncSnapshot: boolean | undefined): { readonly syncSnapshot?: boolean } =>
  syncSnapshot === undefined ? {} : { syncSnapshot }

const refuseOptions = ({ id, systemId, syncSnapshot }: Omit<SpawnOptions, "input">): void => {
  if (systemId !== undefined || syncSnapshot === true)
    throw new Error(`a compiled chart spawns no actor with systemId or syncSnapshot: ${id ?? "without id"}`)
}

export interface PersistedChild {
  readonly src: string | AnyActorLogic
  readonly snapshot: Snapshot<unknown>
  readonly systemId?: string | undefined
  readonly syncSnapshot?: boolean | undefined
}

export const restoreChild = (
  scope: AnyActorScope,
  logic: AnyActorLogic,
  { id, src, snapshot, systemId, syncSnapshot }: PersistedChild & { readonly id: string }
): Actor<AnyActorLogic> => {
  refuseOptions({ id, systemId, syncSnapshot })
  const { self } = scope
  return createActor(logic, {
    id,
    parent: self,
    clock: clockOf(scope),
    src,
    snapshot,
    ...syncOf(syncSnapshot)
  })
}

const startChild = (
  state: StepState,
  actor: Actor<AnyActorLogic>,
  defer: (effect: () => void) => void
): void => {
  const unstartedChildren = (state.unstartedChildren ??= new Set())
  unstartedChildren.add(actor)
  defer(() => {
    if (unstartedChildren.delete(actor)) actor.start()
  })
}

export class AssignArgs extends ActionArgs {
  readonly #state: StepState
  readonly #machineId: string
  #spawned: Record<string, AnyActorRef> | undefined

  constructor(state: StepState, machineId: string) {
    super(state)
    this.#state = state
    this.#machineId = machineId
  }

  get spawn(): (src: string | AnyActorLogic, options?: SpawnOptions) => AnyActorRef {
    return (src, options = {}) => {
      const logic = typeof src === "string" ? this.#namedLogic(src) : (this.#state.logicOf(src) ?? src)
      const input = typeof src === "string" ? this.#inputOf(options) : options.input
      const { scope } = this.#state
      const actor = createChild(scope, logic, src, { ...options, input })
      const spawned = (this.#spawned ??= {})
      spawned[actor.id] = actor
      // Not `state.defer`, which would let the child start after the effects of the built-in actions.
      startChild(this.#state, actor, scope.defer)
      return actor
    }
  }

  #namedLogic(src: string): AnyActorLogic {
    const logic = this.#state.logicOf(src)
    if (logic !== undefined) return logic
    throw new Error(`Actor logic '${src}' not implemented in machine '${this.#machineId}'`)
  }

  #inputOf({ input }: SpawnOptions): unknown {
    if (typeof input !== "function") return input
    const { context, event, self } = this
    return (input as (args: object) => unknown)({ context, event, self })
  }

  childrenAfter(children: ChildActors): ChildActors {
    return this.#spawned === undefined ? children : { ...children, ...this.#spawned }
  }
}

export const spawnChild = (
  state: StepState,
  logic: AnyActorLogic,
  src: string | AnyActorLogic,
  options: SpawnOptions
): void => {
  const actor = createChild(state.scope, logic, src, options)
  // As XState does: a child without an id is found under "undefined".
  state.children = { ...state.children, [String(options.id)]: actor }
  state.hasChanged = true
  startChild(state, actor, (effect) => state.defer(effect))
}

/** Stops a child once it has handled this step's events. */
export const stopChild = (state: StepState, child: AnyActorRef): void => {
  const { [child.id]: _stopped, ...others } = state.children
  state.children = others
  const { scope } = state
  const stop = (): void => {
    if (state.unstartedChildren?.delete(child) === true) scope.stopChild(child)
    else scope.defer(() => scope.stopChild(child))
  }
  // While an actor is being created, XState defers the whole action.
  if (state.isInitial) scope.defer(stop)
  else stop()
}

export const stopChildren = (state: StepState): void => {
  for (const child of Object.values(state.children)) if (child !== undefined) stopChild(state, child)
}
