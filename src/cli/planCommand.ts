import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import type { ExitCode } from "./run.ts"

const file = Flag.String("filename").pipe(
  Flag.withAlias("f"),
  Flag.withMetavar("FILE"),
  Flag.withDescription(
    "What is to be rolled out: a YAML or JSON file of Kubernetes objects, or - for the standard input"
  )
)

const from = Flag.String("from").pipe(
  Flag.withMetavar("FILE"),
  Flag.withDescription("What runs before; it is brought up first, and the rollout begins where it stands"),
  Flag.optional
)

const seedsMax = 100_000

/** `1..1000`, or `1000` for the same. */
const seedsIn = (text: string): Option.Option<ReadonlyArray<number>> => {
  const [, first = "1", last = ""] = /^(?:(\d+)\.\.)?(\d+)$/.exec(text) ?? []
  const [begin, end] = [Number(first), last === "" ? 0 : Number(last)]
  const count = end - begin + 1
  return last !== "" && count > 0 && count <= seedsMax && Number.isSafeInteger(end)
    ? Option.some(Array.from({ length: count }, (_, index) => begin + index))
    : Option.none()
}

const seeds = Flag.String("seeds").pipe(
  Flag.withMetavar("N|A..B"),
  Flag.withDescription("How many times it is played, each with chance of its own; 100 by default"),
  Flag.withDefault("100"),
  Flag.filterMap(seedsIn, () => `a number of seeds, 1 to ${seedsMax}, or a range like 1..1000`)
)

const behaviour = Flag.String("behaviour").pipe(
  Flag.withMetavar("NAME|FILE"),
  Flag.withDescription("How Pods live: steady (the default), instant, or a YAML file of kind Behaviour"),
  Flag.optional
)

const assume = Flag.String("assume").pipe(
  Flag.withMetavar("NAME=VALUE,…"),
  Flag.withDescription(
    "What else is assumed of Pods: schedule, pull, start, ready, terminate as 20s or 5s..40s, and " +
      "crash=1%, the chance that a container ends within a minute"
  ),
  Flag.optional
)

const nodesMax = 5000

const nodes = Flag.String("nodes").pipe(
  Flag.withMetavar("integer"),
  Flag.withDescription(
    "How many nodes there are, 3 by default; each has 32 cpu, 128Gi and room for 110 Pods"
  ),
  Flag.withDefault("3"),
  Flag.filterMap(
    (text) => (/^\d+$/.test(text) && Number(text) <= nodesMax ? Option.some(Number(text)) : Option.none()),
    () => `0 to ${nodesMax} nodes`
  )
)

const output = Flag.Literals("output", ["table", "json"]).pipe(
  Flag.withAlias("o"),
  Flag.withDescription("Columns for people, or one JSON object"),
  Flag.withDefault("table")
)

const failOn = Flag.String("fail-on").pipe(
  Flag.withMetavar("PREDICATE"),
  Flag.withDescription(
    "What must not be with any seed: available<90%, pods>12, stuck>1%, duration>5m, duration.p50, duration.p95. " +
      "May be given several times"
  ),
  Flag.atLeast(0)
)

/** What a rollout will do, before anybody does it. */
export const planCommand = (exit: (code: ExitCode) => void) =>
  Command.make(
    "plan",
    { file, from, seeds, behaviour, assume, nodes, output, failOn },
    Effect.fnUntraced(function* (given) {
      const { planFiles } = yield* Effect.promise(() => import("./planRollout.ts"))
      const code = yield* planFiles({
        ...given,
        from: Option.getOrUndefined(given.from),
        behaviour: Option.getOrUndefined(given.behaviour),
        assume: Option.getOrUndefined(given.assume)
      })
      exit(code)
    })
  ).pipe(
    Command.withDescription(
      "Play a rollout to its end with many seeds, and say what it will do: how it goes, how long it takes, how few " +
        "are available, what it asks of the nodes, what is late or stuck and why, and which field to change. " +
        "Exits 0 when it goes as wished, 1 when a --fail-on is true or, where none speaks of stuck, a rollout is " +
        "late or stuck, 2 when what was given is no good"
    ),
    Command.withShortDescription("Say what a rollout will do, and fail when it must not"),
    Command.withExamples([
      {
        command: "charthouse plan -f web-v2.yaml --from web-v1.yaml --fail-on 'available<90%'",
        description: "Will anyone notice?"
      },
      {
        command: "charthouse plan -f web.yaml --assume start=20s,ready=5s..40s,crash=1% --seeds 1000",
        description: "With Pods that are slow, and some that crash"
      }
    ])
  )
