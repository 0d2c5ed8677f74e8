import { actionNames, guardTerm, guardText } from "./chartNames.ts"
import { isFields } from "../../kubernetes/meta/fields.ts"
import type { AnyStateNode } from "xstate"
import type { Fields } from "../../kubernetes/meta/fields.ts"

/**
 * A JSON configuration for Stately Studio and `createMachine`; guards, actions and delays are names. Source: xstate 5,
 * types.ts (MachineConfig).
 */
export const chartJson = (root: AnyStateNode): object => {
  // `onDone` leads out of the state.
  const { onDone: _onDone, ...json } = stateJson(root.config)
  return { id: root.parent === undefined ? root.id : root.key, ...json }
}

/** Fields of a state that are not listed here have no JSON form. */
const stateJson = (config: unknown): Fields => {
  if (!isFields(config)) return {}
  return writeFields(config, {
    id: toPlainJson,
    description: toPlainJson,
    type: toPlainJson,
    history: toPlainJson,
    target: toPlainJson,
    tags: toPlainJson,
    meta: toPlainJson,
    context: toPlainJson,
    initial: initialJson,
    entry: actionsJson,
    exit: actionsJson,
    invoke: (invoke) => mapOneOrMany(invoke, invokeJson),
    on: (on) => mapFields(on, transitionsJson),
    always: transitionsJson,
    after: (after) => mapFields(after, transitionsJson),
    onDone: transitionsJson,
    states: (states) => mapFields(states, stateJson)
  })
}

const writeFields = (
  fields: Fields,
  writers: Readonly<Record<string, (value: unknown) => unknown>>
): Fields =>
  Object.fromEntries(
    Object.entries(writers).flatMap(([field, write]) => {
      const value = fields[field] === undefined ? undefined : write(fields[field])
      return value === undefined ? [] : [[field, value]]
    })
  )

const mapOneOrMany = (value: unknown, write: (item: unknown) => unknown): unknown =>
  Array.isArray(value) ? value.map(write) : write(value)

const mapFields = (value: unknown, write: (item: unknown) => unknown): unknown =>
  isFields(value)
    ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, write(item)]))
    : undefined

const initialJson = (initial: unknown): unknown =>
  isFields(initial) ? writeFields(initial, { target: toPlainJson, actions: actionsJson }) : initial

const transitionsJson = (transitions: unknown): unknown => mapOneOrMany(transitions, transitionJson)

const transitionJson = (transition: unknown): unknown =>
  isFields(transition)
    ? writeFields(transition, {
        description: toPlainJson,
        target: toPlainJson,
        guard: guardJson,
        actions: actionsJson,
        reenter: toPlainJson,
        meta: toPlainJson
      })
    : transition

const guardJson = (guard: unknown): unknown => {
  const term = guardTerm(guard)
  return isFields(guard) && "params" in guard
    ? writeFields(guard, { type: toPlainJson, params: toPlainJson })
    : term && guardText(term)
}

const actionsJson = (actions: unknown): unknown => {
  const names = (Array.isArray(actions) ? actions : [actions]).flatMap(
    (action: unknown): ReadonlyArray<unknown> =>
      isFields(action) && "params" in action
        ? [writeFields(action, { type: toPlainJson, params: toPlainJson })]
        : actionNames(action)
  )
  return names.length === 0 ? undefined : names.length === 1 ? names[0] : names
}

const invokeJson = (invoke: unknown): unknown =>
  isFields(invoke)
    ? writeFields(invoke, {
        id: toPlainJson,
        src: (src) => (typeof src === "string" ? src : "inline"),
        onDone: transitionsJson,
        onError: transitionsJson,
        onSnapshot: transitionsJson
      })
    : invoke

/** Bigints become text. */
const toPlainJson = (value: unknown): unknown => {
  const text: string | undefined = JSON.stringify(value, (_field, item: unknown) =>
    typeof item === "bigint" ? String(item) : item
  )
  return text === undefined ? undefined : (JSON.parse(text) as unknown)
}
