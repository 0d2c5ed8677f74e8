import fc from "fast-check"
import { chartActions, chartGuards, chartSetup, firstContext } from "./generatedActions.ts"
import { note } from "./sideBySide.ts"
import type { AnyStateMachine } from "xstate"

/** What a state is made of. Targets and implementations are numbers, so that smaller charts are found. */
interface StateShape {
  readonly type: "compound" | "parallel" | "atomic" | "final"
  readonly states: ReadonlyArray<StateShape>
  readonly keys: number
  readonly initial: number
  readonly initialActions: ReadonlyArray<number>
  readonly history: ReadonlyArray<HistoryShape>
  readonly entry: ReadonlyArray<number>
  readonly exit: ReadonlyArray<number>
  readonly on: ReadonlyArray<TransitionShape & { readonly event: number }>
  readonly always: ReadonlyArray<TransitionShape>
  readonly after: ReadonlyArray<TransitionShape & { readonly delay: number }>
  readonly onDone: ReadonlyArray<TransitionShape>
  readonly tags: ReadonlyArray<string>
  readonly meta: number
  readonly output: number
}

interface HistoryShape {
  readonly depth: "shallow" | "deep"
  readonly target: number
}

interface TransitionShape {
  readonly targets: ReadonlyArray<number>
  readonly guard: number
  readonly actions: ReadonlyArray<number>
  readonly reenter: boolean
  readonly isForbidden: boolean
}

export const eventTypes = ["a", "b", "a.x", "a.x.y", "c", "poke"]
const descriptors = [
  ...eventTypes,
  "*",
  "a.*",
  "a.x.*",
  "kid.told",
  "xstate.done.actor.*",
  "xstate.error.actor.kid",
  "xstate.done.state.*"
]
const delays = [1, 3, "short", "long", 7]
const keyLists = [
  ["p", "q", "r", "s", "h1", "h2"],
  ["2", "1", "10", "0", "h1", "5"],
  ["z", "1", "y", "0", "h1", "h2"]
]

const some = <A>(value: fc.Arbitrary<A>, maxLength: number): fc.Arbitrary<ReadonlyArray<A>> =>
  fc.array(value, { maxLength, size: "max" })
const rarely = (value: fc.Arbitrary<number>): fc.Arbitrary<ReadonlyArray<number>> =>
  fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: some(value, 2) })

const anAction = fc.nat({ max: chartActions.length - 1 })
const actions = rarely(anAction)
const transition = {
  targets: fc.oneof(
    { weight: 6, arbitrary: fc.tuple(fc.nat({ max: 30 })) },
    { weight: 2, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.tuple(fc.nat({ max: 30 }), fc.nat({ max: 30 })) }
  ),
  guard: fc.nat({ max: 24 }),
  actions,
  reenter: fc.boolean(),
  isForbidden: fc.nat({ max: 12 }).map((number) => number === 12)
}
const transitionShape = fc.record(transition)

const stateShape = (depth: number, isFirst: boolean): fc.Arbitrary<StateShape> => {
  const leaf = isFirst ? [] : [...Array<"atomic">(depth === 0 ? 3 : 2).fill("atomic"), "final" as const]
  const inner = depth === 0 ? [] : (["compound", "compound", "parallel"] as const)
  return fc.constantFrom(...leaf, ...inner).chain((type) => {
    const hasStates = type === "compound" || type === "parallel"
    const below = (isLeaf: boolean): fc.Arbitrary<StateShape> => stateShape(isLeaf ? 0 : depth - 1, false)
    return fc.record({
      type: fc.constant(type),
      states: hasStates
        ? fc.array(below(false), { minLength: 1, maxLength: 3, size: "max" })
        : fc.constant([]),
      keys: fc.nat({ max: keyLists.length - 1 }),
      initial: fc.nat({ max: 3 }),
      initialActions: actions,
      history: hasStates
        ? fc.oneof(
            { weight: 2, arbitrary: fc.constant([]) },
            {
              weight: 1,
              arbitrary: some(
                fc.record({ depth: fc.constantFrom("shallow", "deep"), target: fc.nat({ max: 5 }) }),
                2
              )
            }
          )
        : fc.constant([]),
      entry: actions,
      exit: actions,
      on: some(fc.record({ ...transition, event: fc.nat({ max: descriptors.length - 1 }) }), 3),
      always: fc.oneof(
        { weight: 5, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: some(transitionShape, 2) }
      ),
      after: fc.oneof(
        { weight: 4, arbitrary: fc.constant([]) },
        {
          weight: 1,
          arbitrary: some(fc.record({ ...transition, delay: fc.nat({ max: delays.length - 1 }) }), 2)
        }
      ),
      onDone: hasStates ? some(transitionShape, 1) : fc.constant([]),
      tags: some(fc.constantFrom("t1", "t2", "t3"), 2),
      meta: fc.nat({ max: 3 }),
      output: fc.nat({ max: 3 })
    }) as fc.Arbitrary<StateShape>
  })
}

/** Whole machines. */
export const generatedChart: fc.Arbitrary<GeneratedChart> = fc
  .integer({ min: 1, max: 3 })
  .chain((depth) => stateShape(depth, true))
  .map((shape) => {
    const machine = toMachine(shape)
    return { machine, [fc.toStringMethod]: () => textOf(machine.config) }
  })

export interface GeneratedChart {
  readonly machine: AnyStateMachine
  readonly [fc.toStringMethod]: () => string
}

const textOf = (config: object): string =>
  JSON.stringify(config, (_key, value: unknown) => {
    if (typeof value !== "function") return value
    const text = "type" in value ? JSON.stringify(Object.entries(value)) : String(value)
    return `${value.name} ${text}`.replaceAll(/\s+/g, " ")
  })

function toMachine(shape: StateShape): AnyStateMachine {
  const ids = idsBelow("m", shape)
  const config = {
    ...configOf("m", shape, ids),
    id: "m",
    context: firstContext,
    options: { maxIterations: 25 },
    ...(shape.output === 0 ? {} : { output: outputs[shape.output] })
  }
  return chartSetup.createMachine(config as never) as unknown as AnyStateMachine
}

const keyAt = ({ keys }: StateShape, index: number): string => keyLists[keys]?.[index] ?? `k${index}`

const idsBelow = (id: string, shape: StateShape): ReadonlyArray<string> => [
  id,
  ...shape.states.flatMap((child, index) => idsBelow(`${id}.${keyAt(shape, index)}`, child)),
  ...shape.history.map((_history, index) => `${id}.hist${index}`)
]

const outputs: Readonly<Record<number, unknown>> = {
  1: "constant",
  2: ({ context, event }: { readonly context: { readonly n: number }; readonly event: unknown }) => {
    note("output", context.n)
    return { n: context.n, event }
  },
  3: { given: true }
}

const configOf = (id: string, shape: StateShape, ids: ReadonlyArray<string>): object => {
  const { type, states, history } = shape
  const toTransition = ({
    targets,
    guard,
    actions: indices,
    reenter,
    isForbidden
  }: TransitionShape): object => {
    if (isForbidden) return {}
    const chosen = targets.map((target) => `#${ids[target % ids.length]}`)
    return {
      ...(chosen.length === 0 ? {} : { target: chosen.length === 1 ? chosen[0] : chosen }),
      ...(chartGuards[guard] === undefined ? {} : { guard: chartGuards[guard] }),
      ...(indices.length === 0 ? {} : { actions: indices.map(toAction) }),
      ...(reenter ? { reenter } : {})
    }
  }
  // Guarded by a count, so that most loops end.
  const toEventless = (it: TransitionShape, index: number): object => ({
    ...toTransition({ ...it, isForbidden: false, guard: 0 }),
    guard: { type: "isBelow", params: { limit: 6 + index * 3 } },
    actions: ["count", ...it.actions.map(toAction)]
  })
  const groupBy = <A>(list: ReadonlyArray<A & TransitionShape>, keyOf: (it: A) => string | number): object =>
    Object.fromEntries([...Map.groupBy(list, keyOf)].map(([key, group]) => [key, group.map(toTransition)]))
  const children = states.map((child, index) => {
    const key = keyAt(shape, index)
    return [key, configOf(`${id}.${key}`, child, ids)]
  })
  const keys = states.map((_state, index) => keyAt(shape, index))
  const histories = history.map(({ depth, target }, index) => {
    const chosen = target < keys.length ? { target: keys[target] } : {}
    return [`hist${index}`, { type: "history", history: depth, ...chosen }]
  })
  return {
    ...(type === "atomic" ? {} : { type }),
    ...(type === "compound"
      ? {
          initial: {
            target: keys[shape.initial % keys.length],
            ...(shape.initialActions.length === 0 ? {} : { actions: shape.initialActions.map(toAction) })
          }
        }
      : {}),
    ...(states.length === 0 ? {} : { states: Object.fromEntries([...children, ...histories]) as unknown }),
    entry: shape.entry.map(toAction),
    exit: shape.exit.map(toAction),
    ...(type === "final"
      ? { output: outputs[shape.output] }
      : {
          on: groupBy(shape.on, ({ event }) => descriptors[event] ?? "a"),
          after: groupBy(shape.after, ({ delay }) => delays[delay] ?? 1)
        }),
    ...(shape.always.length === 0 || type === "final" ? {} : { always: shape.always.map(toEventless) }),
    ...(shape.onDone.length === 0 ? {} : { onDone: shape.onDone.map(toTransition) }),
    tags: shape.tags,
    ...(shape.meta === 0 ? {} : { meta: { about: id } })
  }
}

const toAction = (index: number): unknown => chartActions[index]
