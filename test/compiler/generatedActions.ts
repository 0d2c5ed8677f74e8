import {
  and,
  assign,
  cancel,
  createMachine,
  emit,
  enqueueActions,
  fromTransition,
  log,
  not,
  or,
  raise,
  sendParent,
  sendTo,
  setup,
  spawnChild,
  stopChild
} from "xstate"
import { maySend, note } from "./sideBySide.ts"
import type { AnyActorRef, AnyEventObject } from "xstate"

interface Context {
  readonly n: number
  readonly log: string
  readonly refs: Readonly<Record<string, AnyActorRef>>
}

interface Args {
  readonly context: Context
  readonly event: AnyEventObject
}

interface Params {
  readonly by?: number
  readonly limit?: number
}

/** Answers at most five times, then ends; fails when it is told to. */
const kid = createMachine({
  id: "kid",
  context: ({ input }) => ({ told: (input as number | undefined) ?? 0 }),
  initial: "waiting",
  entry: enqueueActions(({ enqueue }) => {
    if (maySend()) enqueue.sendParent({ type: "kid.told", from: "entry" })
  }),
  exit: () => note("the kid ends"),
  states: {
    waiting: {
      tags: "waiting",
      on: {
        poke: [
          {
            guard: ({ context }) => (context as { told: number }).told < 5,
            target: "busy",
            actions: assign({ told: ({ context }) => (context as { told: number }).told + 1 })
          },
          "over"
        ],
        fail: {
          actions: () => {
            throw new Error("the kid fails")
          }
        }
      },
      after: { 4: { target: "busy", actions: sendParent({ type: "a" }, { delay: 2, id: "do-late" }) } }
    },
    busy: {
      entry: enqueueActions(({ context, enqueue }) => {
        if (maySend()) enqueue.sendParent({ type: "b", told: (context as { told: number }).told })
      }),
      after: { 2: "waiting" }
    },
    over: { type: "final", output: ({ context }: { context: unknown }) => context }
  },
  output: ({ event }) => event.output
})

const counter = fromTransition(
  (state: { readonly n: number }, event: AnyEventObject) => {
    note("counter", event)
    return { n: state.n + 1 }
  },
  { n: 0 }
)

const withRef = (
  context: Context,
  spawn: (src: "kid" | "counter", options?: object) => AnyActorRef,
  src: "kid" | "counter",
  options: { readonly id?: string; readonly input?: unknown }
): Partial<Context> => {
  // Endless chains of children would never end.
  if (Object.keys(context.refs).length > 5) return {}
  const ref = spawn(src, options)
  return { refs: { ...context.refs, [options.id ?? `unnamed${context.n}`]: ref } }
}

const add = (context: Context, text: string): Partial<Context> => ({
  n: context.n + 1,
  log: `${context.log}${text}`.slice(-8)
})

const isNumbered = ({ context }: Args, params: Params | undefined): boolean =>
  context.n < (params?.limit ?? 5)

export const chartSetup = setup({
  types: {} as { context: Context; events: AnyEventObject; input: number | undefined },
  actors: { kid: kid as never, counter: counter as never },
  guards: {
    isBelow: isNumbered,
    isEven: ({ context }) => context.n % 2 === 0,
    isLoud: ({ event }) => (event["loud"] as boolean | undefined) === true,
    isTruthy: (({ context }: Args) => context.log) as never,
    combined: and(["isEven", not("isLoud")]) as never
  },
  delays: {
    short: ({ context }) => 1 + (context.n % 3),
    long: 9
  },
  actions: {
    count: assign(({ context }) => add(context, ".")),
    countBy: assign({ n: ({ context }, params: Params) => context.n + (params.by ?? 1) }),
    tell: ({ context, event }, params: Params | undefined) => note("tell", context.n, event.type, params),
    both: enqueueActions(({ enqueue, check, event }, params: Params | undefined) => {
      if (check("isEven")) enqueue("count" as never)
      if (check(not("isLoud"))) enqueue({ type: "countBy", params: { by: params?.by ?? 2 } } as never)
      enqueue.emit({ type: "both", of: event.type } as never)
      enqueue(() => note("enqueued"))
    }),
    shout: emit(
      ({ context }, params: Params | undefined) => ({ type: "shout", n: context.n, params }) as never
    )
  }
})

/**
 * The kid or, while there is none, the counter that every actor begins with. An actor that sends to itself never ends.
 */
const kidOf = ({ context }: { readonly context: Context }): AnyActorRef =>
  context.refs["kid"] ?? counterOf({ context })

const counterOf = ({ context }: { readonly context: Context }): AnyActorRef => {
  const { first } = context.refs
  if (first === undefined) throw new Error("there is no counter")
  return first
}

/** The context in which generated charts begin. */
export const firstContext = ({
  input = 0,
  spawn
}: {
  readonly input?: number
  readonly spawn: (src: string, options: object) => AnyActorRef
}): Context => ({ n: input, log: "", refs: { first: spawn("counter", { id: "first" }) } })

/** Actions of generated charts, inline ones and references. */
export const chartActions: ReadonlyArray<unknown> = [
  "count",
  "tell",
  "both",
  "shout",
  "isNotImplemented",
  { type: "tell", params: { by: 3 } },
  { type: "countBy", params: ({ context }: Args) => ({ by: context.n % 4 }) },
  { type: "both", params: ({ event }: Args) => ({ by: event.type.length }) },
  { type: "shout", params: { limit: 1 } },
  ({ context, event }: Args) => note("inline", context.n, event),
  function named({ context }: Args): void {
    note("named", context.log)
  },
  ({ context }: Args) => {
    if (context.n > 30) throw new Error(`n is ${context.n}`)
  },
  assign({ log: ({ context, event }) => `${(context as Context).log}${event.type.at(0)}`.slice(-8), n: 1 }),
  assign(({ context }) => add(context as Context, "+")),
  assign(({ context, spawn }) => withRef(context as Context, spawn as never, "kid", { id: "kid" })),
  assign(({ context, spawn }) => withRef(context as Context, spawn as never, "counter", { id: "counter" })),
  assign(({ context, spawn }) => withRef(context as Context, spawn as never, "kid", { input: 4 })),
  emit({ type: "plain" }),
  emit(({ context, event }) => ({ type: "said", n: (context as Context).n, event: event.type })),
  raise({ type: "c" }),
  raise(({ context }) => ({ type: (context as Context).n % 2 === 0 ? "a.x" : "b", loud: true })),
  raise({ type: "a" }, { delay: 2, id: "do-later" }),
  raise({ type: "b" }, { delay: "short" as never }),
  raise({ type: "a.x.y" }, { delay: ({ context }) => 1 + ((context as Context).n % 5), id: "do-later" }),
  cancel("do-later"),
  cancel(({ context }) => ((context as Context).n % 2 === 0 ? "do-late" : "do-later")),
  sendTo(kidOf as never, { type: "poke" } as never),
  sendTo(kidOf as never, (({ context }: Args) => ({ type: "poke", n: context.n })) as never, {
    delay: 1,
    id: "do-late"
  }),
  sendTo(kidOf as never, { type: "fail" } as never, { delay: 3 }),
  sendTo(counterOf as never, { type: "c" } as never),
  sendTo("kid", { type: "poke" } as never, { delay: "long" as never }),
  sendParent({ type: "c" }, { delay: 5 }),
  spawnChild("kid" as never, { id: "kid" as never, input: (({ context }: Args) => context.n % 4) as never }),
  spawnChild("counter" as never),
  spawnChild("isNotImplemented" as never, { id: "absent" as never }),
  stopChild("kid"),
  stopChild(({ context }) => (context as Context).refs["kid"] as never),
  stopChild("absent"),
  enqueueActions(({ context, enqueue, check, self }) => {
    const { n, refs } = context as Context
    if (check({ type: "isBelow", params: { limit: 4 } } as never)) enqueue.raise({ type: "c" })
    enqueue.assign({ n: n + 1 })
    if (n % 3 === 0) enqueue.spawnChild("kid" as never, { id: "kid" as never })
    if (n % 3 === 1) enqueue.stopChild("kid")
    if (n % 3 === 2 && refs["counter"] !== undefined) enqueue.sendTo(refs["counter"], { type: "c" })
    enqueue.cancel("do-later")
    enqueue.sendTo(self, { type: "a" }, { delay: 4, id: "do-again" })
    enqueue(raise({ type: "b" }, { delay: 6, id: "do-later" }) as never)
  }),
  log("a line"),
  log(({ context }) => (context as Context).n, "n")
]

/** Guards of generated charts; a number beyond them stands for a transition without a guard. */
export const chartGuards: ReadonlyArray<unknown> = [
  "isEven",
  "isLoud",
  "isTruthy",
  "combined",
  { type: "isBelow", params: { limit: 3 } },
  { type: "isBelow", params: ({ event }: Args) => ({ limit: event.type.length * 3 }) },
  ({ context }: Args) => context.n % 3 !== 0,
  and(["isEven", ({ context }) => context.n > 2]),
  or(["isLoud", "isEven"] as never),
  not("isEven"),
  not(and(["isTruthy", or([not("isLoud"), "combined"] as never)] as never)),
  not("isTruthy")
]
