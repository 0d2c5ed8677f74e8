import { actionNames, guardTerm, guardText } from "./words.ts"
import type { AnyStateNode } from "xstate"

/**
 * A chart as the configuration of an XState machine in JSON, as Stately Studio imports it and `createMachine` takes it:
 * guards, actions and delays by name. A part of a chart becomes a chart of its own.
 *
 * Source: xstate 5, types.ts (MachineConfig).
 */
export const chartJson = (root: AnyStateNode): object => {
  const { onDone: _outside, ...inside } = stateJson(root.config)
  return { id: root.parent === undefined ? root.id : root.key, ...inside }
}

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Each field by the way it is written; what is not here is nothing that JSON could say. */
const stateJson = (config: unknown): Fields => {
  if (!isFields(config)) return {}
  return written(config, {
    id: plain,
    description: plain,
    type: plain,
    history: plain,
    target: plain,
    tags: plain,
    meta: plain,
    context: plain,
    initial: initialJson,
    entry: actionsJson,
    exit: actionsJson,
    invoke: (invoke) => each(invoke, invokeJson),
    on: (on) => eachField(on, transitionsJson),
    always: transitionsJson,
    after: (after) => eachField(after, transitionsJson),
    onDone: transitionsJson,
    states: (states) => eachField(states, stateJson)
  })
}

const written = (fields: Fields, writers: Readonly<Record<string, (value: unknown) => unknown>>): Fields =>
  Object.fromEntries(
    Object.entries(writers).flatMap(([field, write]) => {
      const value = fields[field] === undefined ? undefined : write(fields[field])
      return value === undefined ? [] : [[field, value]]
    })
  )

const each = (value: unknown, write: (one: unknown) => unknown): unknown =>
  Array.isArray(value) ? value.map(write) : write(value)

const eachField = (value: unknown, write: (one: unknown) => unknown): unknown =>
  isFields(value) ? Object.fromEntries(Object.entries(value).map(([key, it]) => [key, write(it)])) : undefined

const initialJson = (initial: unknown): unknown =>
  isFields(initial) ? written(initial, { target: plain, actions: actionsJson }) : initial

const transitionsJson = (transitions: unknown): unknown => each(transitions, transitionJson)

const transitionJson = (transition: unknown): unknown =>
  isFields(transition)
    ? written(transition, {
        description: plain,
        target: plain,
        guard: guardJson,
        actions: actionsJson,
        reenter: plain,
        meta: plain
      })
    : transition

const guardJson = (guard: unknown): unknown => {
  const term = guardTerm(guard)
  return isFields(guard) && "params" in guard
    ? written(guard, { type: plain, params: plain })
    : term && guardText(term)
}

const actionsJson = (actions: unknown): unknown => {
  const names = (Array.isArray(actions) ? actions : [actions]).flatMap(
    (action: unknown): ReadonlyArray<unknown> =>
      isFields(action) && "params" in action
        ? [written(action, { type: plain, params: plain })]
        : actionNames(action)
  )
  return names.length === 0 ? undefined : names.length === 1 ? names[0] : names
}

const invokeJson = (invoke: unknown): unknown =>
  isFields(invoke)
    ? written(invoke, {
        id: plain,
        src: (src) => (typeof src === "string" ? src : "inline"),
        onDone: transitionsJson,
        onError: transitionsJson,
        onSnapshot: transitionsJson
      })
    : invoke

/** What JSON can say of a value; nothing of what is worked out when the machine starts. */
const plain = (value: unknown): unknown => {
  const text: string | undefined = JSON.stringify(value, (_field, it: unknown) =>
    typeof it === "bigint" ? String(it) : it
  )
  return text === undefined ? undefined : (JSON.parse(text) as unknown)
}
