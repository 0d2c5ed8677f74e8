import { AssignArgs, spawnChild, stopChild } from "./childActors.ts"
import { emitFrom, schedulerOf } from "./schedulingClock.ts"
import { ActionArgs } from "./stepState.ts"
import type { AnyActorLogic, AnyActorRef, AnyEventObject } from "xstate"
import type { SpawnOptions } from "./childActors.ts"
import type { Operation, StepState } from "./stepState.ts"

type ActionFunction = (args: ActionArgs, params: unknown) => unknown

export type ParamsOf = (state: StepState) => unknown

export const noParams: ParamsOf = () => undefined

export interface OwningMachine {
  readonly machineId: string
  readonly delays: Readonly<Record<string, unknown>>
}

const evaluate = (value: unknown, state: StepState, params: unknown): unknown =>
  typeof value === "function" ? (value as ActionFunction)(new ActionArgs(state), params) : value

const delayAt = (delay: unknown, state: StepState, params: unknown, { delays }: OwningMachine): unknown =>
  evaluate(typeof delay === "string" ? delays[delay] : delay, state, params)

export const emitOperation =
  (event: unknown, paramsOf: ParamsOf): Operation =>
  (state) => {
    const emitted = evaluate(event, state, paramsOf(state)) as AnyEventObject
    const { scope, observed } = state
    observed?.addEmitted(emitted)
    state.defer(() => emitFrom(scope, emitted))
  }

export const assignOperation = (
  assignment: unknown,
  { machineId }: OwningMachine,
  paramsOf: ParamsOf
): Operation => {
  const changeOf =
    typeof assignment === "function"
      ? (assignment as (args: AssignArgs, params: unknown) => object)
      : changeOfFields(assignment as Readonly<Record<string, unknown>>)
  return (state) => {
    if (!state.context)
      throw new Error(
        "Cannot assign to undefined `context`. Ensure that `context` is defined in the machine config."
      )
    const args = new AssignArgs(state, machineId)
    // Before the context is copied: the function may change it in place.
    const change = changeOf(args, paramsOf(state))
    state.context = { ...state.context, ...change }
    state.children = args.childrenAfter(state.children)
    state.hasChanged = true
  }
}

const changeOfFields = (
  assignment: Readonly<Record<string, unknown>>
): ((args: AssignArgs, params: unknown) => object) => {
  const values = Object.entries(assignment)
  return (args, params) => {
    const change: Record<string, unknown> = {}
    for (const [field, value] of values) {
      change[field] =
        typeof value === "function"
          ? (value as (args: AssignArgs, params: unknown) => unknown)(args, params)
          : value
    }
    return change
  }
}

export interface RaiseOptions {
  readonly event?: unknown
  readonly id?: string
  readonly delay?: unknown
}

const evaluateEvent = (
  creator: "raise" | "sendTo",
  { event, delay }: RaiseOptions,
  state: StepState,
  params: unknown,
  owner: OwningMachine
): readonly [event: AnyEventObject, millis: unknown] => {
  if (typeof event === "string")
    throw new Error(
      `Only event objects may be used with ${creator}; use ${creator}({ type: "${event}" }) instead`
    )
  return [evaluate(event, state, params) as AnyEventObject, delayAt(delay, state, params, owner)]
}

export const raiseOperation =
  (options: RaiseOptions, owner: OwningMachine, paramsOf: ParamsOf): Operation =>
  (state) => {
    const [raised, millis] = evaluateEvent("raise", options, state, paramsOf(state), owner)
    if (typeof millis !== "number") {
      state.raisedEvents.push(raised)
      return
    }
    const { scope } = state
    state.defer(() => schedulerOf(scope).schedule(scope.self, scope.self, raised, millis, options.id))
  }

export const cancelOperation =
  (sendId: unknown, paramsOf: ParamsOf): Operation =>
  (state) => {
    const id = evaluate(sendId, state, paramsOf(state)) as string
    const { scope } = state
    state.defer(() => schedulerOf(scope).cancel(scope.self, id))
  }

export interface SendActionOptions extends RaiseOptions {
  readonly to?: unknown
}

export const sendOperation =
  (options: SendActionOptions, owner: OwningMachine, paramsOf: ParamsOf): Operation =>
  (state) => {
    const params = paramsOf(state)
    const [sent, millis] = evaluateEvent("sendTo", options, state, params, owner)
    const receiver = receiverOf(evaluate(options.to, state, params), state, owner)
    const { scope } = state
    const { self } = scope
    state.defer(() => {
      if (typeof millis === "number") schedulerOf(scope).schedule(self, receiver, sent, millis, options.id)
      else receiver.send(sent.type === "xstate.error" ? errorEventOf(self, sent) : sent)
    })
  }

/** An actor that sends `xstate.error` fails for its receiver. */
const errorEventOf = ({ id }: AnyActorRef, { data }: AnyEventObject): AnyEventObject => ({
  type: `xstate.error.actor.${id}`,
  error: data as unknown,
  actorId: id
})

/** `#_parent`, `#_internal` and `#_ID` are SCXML's special targets. */
const receiverOf = (to: unknown, state: StepState, { machineId }: OwningMachine): AnyActorRef => {
  if (typeof to !== "string") return (to as AnyActorRef | undefined) ?? state.scope.self
  if (to === "#_internal") return state.scope.self
  // `_parent` is among the fields that XState's types publish.
  const receiver =
    to === "#_parent" ? state.scope.self._parent : state.children[to.startsWith("#_") ? to.slice(2) : to]
  if (receiver === undefined)
    throw new Error(`Unable to send event to actor '${to}' from machine '${machineId}'.`)
  return receiver
}

export interface SpawnActionOptions extends Omit<SpawnOptions, "id"> {
  readonly src?: unknown
  readonly id?: unknown
}

export const spawnOperation =
  ({ src, id, input, systemId, syncSnapshot = false }: SpawnActionOptions): Operation =>
  (state) => {
    const logic = state.logicOf(src as string | AnyActorLogic)
    const { context, event, self } = new ActionArgs(state)
    const childId = evaluate(id, state, undefined) as string | undefined
    if (logic === undefined) {
      state.children = { ...state.children, [String(childId)]: undefined }
      state.hasChanged = true
      return
    }
    const childInput =
      typeof input === "function" ? (input as (args: object) => unknown)({ context, event, self }) : input
    const options = { id: childId, input: childInput, systemId, syncSnapshot }
    spawnChild(state, logic, src as string | AnyActorLogic, options)
  }

export const stopOperation =
  (actorRef: unknown, paramsOf: ParamsOf): Operation =>
  (state) => {
    const ref = evaluate(actorRef, state, paramsOf(state))
    const child = typeof ref === "string" ? state.children[ref] : (ref as AnyActorRef | undefined)
    state.hasChanged = true
    if (child !== undefined) stopChild(state, child)
  }

export const logOperation =
  (value: unknown, label: unknown, paramsOf: ParamsOf): Operation =>
  (state) => {
    const logged = evaluate(value, state, paramsOf(state))
    const { logger } = state.scope
    const write = (): void => {
      if (label) logger(label, logged)
      else logger(logged)
    }
    const params = { value: logged, label }
    state.scope.actionExecutor({ type: "xstate.log", info: infoOf(state), params, exec: write })
  }

/** XState runs the user's function at once, or when an actor that is being created starts. */
export const customOperation =
  (type: string, exec: unknown, paramsOf: ParamsOf): Operation =>
  (state) => {
    const params = paramsOf(state)
    const action = { type, info: infoOf(state), params, exec: exec as (() => void) | undefined }
    state.scope.actionExecutor(action)
  }

type ActionInfo = Parameters<StepState["scope"]["actionExecutor"]>[0]["info"]

const infoOf = (state: StepState): ActionInfo => new ActionArgs(state) as ActionInfo
