import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import { failuresMax, replicasMax } from "../../plan/exhaustive/explorationLimits.ts"
import { featureGatesFlag } from "../flags/sharedFlags.ts"
import { makeSeedsFlag } from "../flags/seedsFlag.ts"
import type { ExitCode } from "../terminal/exitCode.ts"

const files = Flag.String("filename").pipe(
  Flag.withAlias("f"),
  Flag.withMetavar("FILE|DIR"),
  Flag.withDescription(
    "What is to be rolled out: a YAML or JSON file of Kubernetes objects, a folder of such files, or - for the " +
      "standard input. May be given several times"
  ),
  Flag.atLeast(1)
)

const from = Flag.String("from").pipe(
  Flag.withMetavar("FILE|DIR"),
  Flag.withDescription(
    "What runs before, as files or folders likewise; it is brought up first, and the rollout begins where it stands"
  ),
  Flag.atLeast(0)
)

const seeds = makeSeedsFlag("How many times it is played, each with chance of its own; 100 by default")

const behaviour = Flag.String("behaviour").pipe(
  Flag.withMetavar("NAME|FILE"),
  Flag.withDescription("How Pods live: steady (the default), instant, or a YAML file of kind Behaviour"),
  Flag.optional
)

const assume = Flag.String("assume").pipe(
  Flag.withMetavar("NAME=VALUE,…"),
  Flag.withDescription(
    "What else is assumed of Pods: schedule, pull, start, ready, terminate as 20s or 5s..40s, and " +
      "crash=1%, the chance that a container ends within a minute; of clients: requests=100/s to each Service, and " +
      "propagation=1s until they have heard of a change of its endpoints"
  ),
  Flag.optional
)

const kubeconfig = Flag.String("kubeconfig").pipe(
  Flag.withMetavar("FILE|live"),
  Flag.withDescription(
    "What runs before is read from a cluster, with its Services, quotas and nodes: a kubeconfig, or live for the " +
      "one that kubectl would use"
  ),
  Flag.optional
)

const context = Flag.String("context").pipe(
  Flag.withMetavar("NAME"),
  Flag.withDescription("The context of the kubeconfig to read from; its current one by default"),
  Flag.optional
)

const namespace = Flag.String("namespace").pipe(
  Flag.withAlias("n"),
  Flag.withDescription(
    "Where objects are that name none; the context's namespace, or default without a kubeconfig"
  ),
  Flag.optional
)

const nodesMax = 5000

const nodes = Flag.String("nodes").pipe(
  Flag.withMetavar("integer"),
  Flag.withDescription(
    "How many nodes there are: those of the cluster that is read, or 3; each of 3 has 32 cpu, 128Gi and room for " +
      "110 Pods"
  ),
  Flag.filterMap(
    (text) => (/^\d+$/.test(text) && Number(text) <= nodesMax ? Option.some(Number(text)) : Option.none()),
    () => `0 to ${nodesMax} nodes`
  ),
  Flag.optional
)

const output = Flag.Literals("output", ["table", "json", "html"]).pipe(
  Flag.withAlias("o"),
  Flag.withDescription("Columns for people, one JSON object, or a page that needs nothing else"),
  Flag.withDefault("table")
)

const failOn = Flag.String("fail-on").pipe(
  Flag.withMetavar("PREDICATE"),
  Flag.withDescription(
    "What must not be with any seed: available<90%, lost>0, pods>12, stuck>1%, duration>5m, duration.p50, " +
      "duration.p95. " +
      "May be given several times"
  ),
  Flag.atLeast(0)
)

const exhaustive = Flag.Boolean("exhaustive").pipe(
  Flag.withDescription(
    "Instead of seeds: every order in which Pods become ready, some of them fail and controllers take their turns, " +
      `for up to ${replicasMax} replicas. What holds in all of them is proved; what does not is shown by the fewest steps`
  ),
  Flag.withDefault(false)
)

const failures = Flag.String("failures").pipe(
  Flag.withMetavar("integer"),
  Flag.withDescription(
    `How many Pods may crash, be lost or no longer be ready with --exhaustive: 0 to ${failuresMax}, 1 by default`
  ),
  Flag.filterMap(
    (text) => (/^\d$/.test(text) && Number(text) <= failuresMax ? Option.some(Number(text)) : Option.none()),
    () => `0 to ${failuresMax} failures`
  ),
  Flag.optional
)

export const planCommand = (exit: (code: ExitCode) => void) =>
  Command.make(
    "plan",
    {
      files,
      from,
      kubeconfig,
      context,
      namespace,
      seeds,
      behaviour,
      assume,
      nodes,
      featureGates: featureGatesFlag,
      output,
      failOn,
      exhaustive,
      failures
    },
    Effect.fnUntraced(function* (given) {
      const { planFiles } = yield* Effect.promise(() => import("./planFiles.ts"))
      const code = yield* planFiles({
        ...given,
        kubeconfig: Option.getOrUndefined(given.kubeconfig),
        context: Option.getOrUndefined(given.context),
        namespace: Option.getOrUndefined(given.namespace),
        seeds: Option.getOrUndefined(given.seeds),
        nodes: Option.getOrUndefined(given.nodes),
        featureGates: Option.getOrUndefined(given.featureGates),
        behaviour: Option.getOrUndefined(given.behaviour),
        assume: Option.getOrUndefined(given.assume),
        failures: Option.getOrUndefined(given.failures)
      })
      exit(code)
    })
  ).pipe(
    Command.withDescription(
      "Play a rollout to its end with many seeds, and say what it will do: how it goes, how long it takes, how few " +
        "are available, which requests are lost, what it asks of the nodes, what is late or stuck and why, and which field to change. " +
        "Exits 0 when it goes as wished, 1 when a --fail-on is true or, where none speaks of stuck, a rollout is " +
        "late or stuck, 2 when what was given is no good"
    ),
    Command.withShortDescription("Say what a rollout will do, and fail when it must not"),
    Command.withExamples([
      {
        command: "charthouse plan -f web-v2.yaml --from web-v1.yaml --fail-on 'available<90%'",
        description: "Will fewer than 90% be available?"
      },
      {
        command: "charthouse plan -f web-v2.yaml --kubeconfig live --fail-on 'lost>0'",
        description: "From what runs in the cluster that kubectl talks to"
      },
      {
        command: "charthouse plan -f web.yaml --assume start=20s,ready=5s..40s,crash=1% --seeds 1000",
        description: "With Pods that are slow, and some that crash"
      },
      {
        command: "charthouse plan -f web-v2.yaml --from web-v1.yaml --exhaustive --failures 2",
        description: "Whatever happens, in whatever order"
      }
    ])
  )
