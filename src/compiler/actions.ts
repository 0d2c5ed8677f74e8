import {
  assignOperation,
  cancelOperation,
  customOperation,
  emitOperation,
  logOperation,
  noParams,
  raiseOperation,
  sendOperation,
  spawnOperation,
  stopOperation
} from "./operations.ts"
import type { AnyStateMachine } from "xstate"
import type { OwningMachine, ParamsOf, SendActionOptions, SpawnActionOptions } from "./operations.ts"
import type { CompileGuard } from "./guards.ts"
import type { Operation } from "./stepState.ts"

export type CompileAction = (action: unknown) => Operation

/** Actions of the chart are compiled once. */
export const makeActionCompiler = (
  { id, implementations }: AnyStateMachine,
  compileGuard: CompileGuard
): CompileAction => {
  const compiled = new Map<unknown, Operation>()
  const actions: Readonly<Record<string, unknown>> = implementations.actions
  const owner: OwningMachine = { machineId: id, delays: implementations.delays }

  const compileImplementation = (type: string, action: unknown, paramsOf: ParamsOf): Operation => {
    if (!isBuiltIn(action)) return customOperation(type, action, paramsOf)
    const { collect } = action
    return collect === undefined
      ? compileBuiltIn(action, owner, paramsOf)
      : enqueueOperation(collect, paramsOf)
  }
  const compileNew: CompileAction = (action) => {
    if (typeof action === "string") return compileImplementation(action, actions[action], noParams)
    if (typeof action === "function")
      return compileImplementation(action.name === "" ? "(anonymous)" : action.name, action, noParams)
    const { type, params } = action as { readonly type: string; readonly params?: unknown }
    const paramsOf: ParamsOf =
      typeof params === "function"
        ? ({ context, event }) => (params as (args: object) => unknown)({ context, event })
        : () => params
    return compileImplementation(type, actions[type], paramsOf)
  }
  const compile: CompileAction = (action) => {
    const existing = compiled.get(action)
    if (existing !== undefined) return existing
    const operation = compileNew(action)
    compiled.set(action, operation)
    return operation
  }

  /** The list that `enqueue` adds to. */
  let queue: Array<Operation> | undefined
  const add = (operation: Operation): void => void queue?.push(operation)
  const enqueue = Object.assign(
    // Functions and objects may be made anew at every call, so keeping them would be useless.
    (action: unknown): void =>
      add(typeof action === "string" ? compile(action) : (compiled.get(action) ?? compileNew(action))),
    {
      assign: (assignment: unknown): void => add(assignOperation(assignment, owner, noParams)),
      emit: (event: unknown): void => add(emitOperation(event, noParams)),
      raise: (event: unknown, options: object = {}): void =>
        add(raiseOperation({ ...options, event }, owner, noParams)),
      cancel: (sendId: unknown): void => add(cancelOperation(sendId, noParams)),
      sendTo: (to: unknown, event: unknown, options: object = {}): void =>
        add(sendOperation({ ...options, to, event }, owner, noParams)),
      sendParent: (event: unknown, options: object = {}): void =>
        add(sendOperation({ ...options, to: "#_parent", event }, owner, noParams)),
      spawnChild: (src: unknown, options: object = {}): void => add(spawnOperation({ ...options, src })),
      stopChild: (actorRef: unknown): void => add(stopOperation(actorRef, noParams))
    }
  )
  const enqueueOperation =
    (collect: Collect, paramsOf: ParamsOf): Operation =>
    (state) => {
      const { context, event, scope } = state
      const check = (guard: unknown): boolean => compileGuard(guard)({ context, event })
      const operations: Array<Operation> = []
      const outerQueue = queue
      queue = operations
      try {
        collect({ context, event, enqueue, check, self: scope.self, system: scope.system }, paramsOf(state))
      } finally {
        queue = outerQueue
      }
      for (const operation of operations) operation(state)
    }
  return compile
}

type Collect = (args: object, params: unknown) => void

interface BuiltInAction extends SendActionOptions, Omit<SpawnActionOptions, "id"> {
  readonly type: string
  readonly assignment?: unknown
  readonly collect?: Collect
  readonly sendId?: unknown
  readonly actorRef?: unknown
  readonly value?: unknown
  readonly label?: unknown
}

const isBuiltIn = (action: unknown): action is BuiltInAction =>
  typeof action === "function" && "resolve" in action

type CompileBuiltIn = (action: BuiltInAction, owner: OwningMachine, paramsOf: ParamsOf) => Operation

const builtInActions: Readonly<Record<string, CompileBuiltIn>> = {
  "xstate.assign": ({ assignment }, owner, paramsOf) => assignOperation(assignment, owner, paramsOf),
  "xstate.emit": ({ event }, _owner, paramsOf) => emitOperation(event, paramsOf),
  "xstate.raise": raiseOperation,
  "xstate.cancel": ({ sendId }, _owner, paramsOf) => cancelOperation(sendId, paramsOf),
  "xstate.sendTo": sendOperation,
  "xstate.spawnChild": spawnOperation,
  "xstate.stopChild": ({ actorRef }, _owner, paramsOf) => stopOperation(actorRef, paramsOf),
  "xstate.log": ({ value, label }, _owner, paramsOf) => logOperation(value, label, paramsOf)
}

const compileBuiltIn: CompileBuiltIn = (action, owner, paramsOf) => {
  const toOperation = builtInActions[action.type]
  if (toOperation === undefined) throw new Error(`a compiled chart does not take the action ${action.type}`)
  return toOperation(action, owner, paramsOf)
}

/** The type of a built-in action that only XState can run; undefined for every other action. */
export const unknownActionType = (action: unknown): string | undefined =>
  isBuiltIn(action) && action.type !== "xstate.enqueueActions" && !Object.hasOwn(builtInActions, action.type)
    ? action.type
    : undefined

export const spawnOptionRefused = (action: unknown): "systemId" | "syncSnapshot" | undefined => {
  if (!isBuiltIn(action) || action.type !== "xstate.spawnChild") return undefined
  if (action.systemId !== undefined) return "systemId"
  return action.syncSnapshot === true ? "syncSnapshot" : undefined
}
