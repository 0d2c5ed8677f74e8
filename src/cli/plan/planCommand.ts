import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import { failuresMax, replicasMax } from "../../plan/exhaustive/explorationLimits.ts"
import { featureGatesFlag, makeNodesFlag, strategiesFlag } from "../flags/sharedFlags.ts"
import { makeSeedsFlag } from "../flags/seedsFlag.ts"
import { completionIndexVariable, parseShare } from "./shards/share.ts"
import { planFormats } from "./outputs/planFormats.ts"
import { startFactorDefault, startFactorMax } from "../../plan/whatIf/startFactors.ts"
import { unknownKinds } from "../../plan/verdicts/unknownKinds.ts"
import type { PlanOutput } from "./outputs/planFormats.ts"
import type { ExitCode } from "../terminal/exitCode.ts"

const files = Flag.String("filename").pipe(
  Flag.withAlias("f"),
  Flag.withMetavar("FILE|DIR|URL"),
  Flag.withDescription(
    "The manifests to roll out: a YAML or JSON file, a folder of them or of a kustomization, an address, or - for " +
      "standard input. Can be repeated"
  ),
  Flag.atLeast(0)
)

const recursive = Flag.Boolean("recursive").pipe(
  Flag.withAlias("R"),
  Flag.withDescription("Read the folders in the folders of -f and --from, too"),
  Flag.withDefault(false)
)

const kustomizations = Flag.String("kustomize").pipe(
  Flag.withAlias("k"),
  Flag.withMetavar("DIR"),
  Flag.withDescription("A folder with a kustomization, which kubectl or kustomize builds. Can be repeated"),
  Flag.atLeast(0)
)

const helmCharts = Flag.String("helm").pipe(
  Flag.withMetavar("CHART"),
  Flag.withDescription(
    "A chart (folder, archive or REPOSITORY/NAME), which helm template renders. Can be repeated"
  ),
  Flag.atLeast(0)
)

const helmValues = Flag.String("values").pipe(
  Flag.withMetavar("FILE"),
  Flag.withDescription("A file with values for the charts of --helm. Can be repeated"),
  Flag.atLeast(0)
)

const serverSide = Flag.Boolean("server-side").pipe(
  Flag.withDescription(
    "Apply as kubectl apply --server-side does: no annotation holds what was applied, so that objects may be larger"
  ),
  Flag.withDefault(false)
)

const from = Flag.String("from").pipe(
  Flag.withMetavar("FILE|DIR"),
  Flag.withDescription("The manifests that run before the rollout: files or folders. Can be repeated"),
  Flag.atLeast(0)
)

const base = Flag.String("base").pipe(
  Flag.withMetavar("REF"),
  Flag.withDescription(
    "A git revision, such as main: its version of -f, -k and --helm runs before, only what differs is planned, and " +
      "each rollout is compared with a restart of the same workload at that revision"
  ),
  Flag.optional
)

const head = Flag.String("head").pipe(
  Flag.withMetavar("REF"),
  Flag.withDescription("The git revision to plan; the working tree by default"),
  Flag.optional
)

const seeds = makeSeedsFlag("The number of runs, each with its own seed; 100 by default")

const shard = Flag.String("shard").pipe(
  Flag.withMetavar("K/N"),
  Flag.withDescription(
    "Play one of N parts of the seeds and write the runs to the folder of --runs; `charthouse plan merge DIR` reports " +
      `on all of them as one process would. N alone takes K from ${completionIndexVariable}, as in an Indexed Job`
  ),
  Flag.filterMap(
    (text) => Option.fromUndefinedOr(parseShare(text)),
    () => `K/N with K from 1 to N, or N where ${completionIndexVariable} is set`
  ),
  Flag.optional
)

const runs = Flag.String("runs").pipe(
  Flag.withMetavar("DIR|-"),
  Flag.withDescription("The folder that --shard writes its runs to, or - to print them"),
  Flag.optional
)

const jobImage = Flag.String("as-job").pipe(
  Flag.withMetavar("IMAGE"),
  Flag.withDescription(
    "Print an Indexed Job for kubectl apply, with --shard N for the number of its Pods, and the ConfigMaps with all " +
      "that they read. The Pods print their runs, and plan merge reads their logs. The image has charthouse as its " +
      "entry point"
  ),
  Flag.optional
)

const behaviour = Flag.String("behaviour").pipe(
  Flag.withMetavar("NAME|FILE"),
  Flag.withDescription(
    "The behaviour of Pods: steady (the default), instant, or a YAML file of kind Behaviour"
  ),
  Flag.optional
)

const assume = Flag.String("assume").pipe(
  Flag.withMetavar("NAME=VALUE,…"),
  Flag.withDescription(
    "Assumed durations of Pods: schedule, pull, start, ready, terminate as 20s or 5s..40s; crash=1%, the chance " +
      "that a container exits within a minute; requests=100/s that clients send to each Service; and propagation=1s, " +
      "the time until clients use changed endpoints"
  ),
  Flag.optional
)

const kubeconfig = Flag.String("kubeconfig").pipe(
  Flag.withMetavar("FILE|live"),
  Flag.withDescription(
    "Read the objects that run before the rollout from a cluster, with its Services, quotas and nodes: a " +
      "kubeconfig file, or live for the one that kubectl uses"
  ),
  Flag.optional
)

const context = Flag.String("context").pipe(
  Flag.withMetavar("NAME"),
  Flag.withDescription("The kubeconfig context to read from; the current one by default"),
  Flag.optional
)

const namespace = Flag.String("namespace").pipe(
  Flag.withAlias("n"),
  Flag.withDescription(
    "The namespace of objects that have none; by default the context's, or default without a kubeconfig"
  ),
  Flag.optional
)

const nodes = makeNodesFlag(
  "The number of nodes, each with 32 CPUs, 128Gi of memory and 110 Pods, or a file of Node objects; by default the " +
    "nodes of the --kubeconfig cluster, or 3"
).pipe(Flag.optional)

const parseOutput = (text: string): Option.Option<PlanOutput> => {
  const [, name = "", file] = /^([a-z]+)(?:=(.+))?$/su.exec(text) ?? []
  const format = planFormats.find((it) => it === name)
  return format === undefined ? Option.none() : Option.some({ format, file })
}

const outputs = Flag.String("output").pipe(
  Flag.withAlias("o"),
  Flag.withMetavar("FORMAT[=FILE]"),
  Flag.withDescription(
    "table, json, html (a self-contained page), markdown (a comment for a pull request), sarif, junit, or github " +
      "(annotations), printed or written to a file. Can be repeated; the table is printed unless another format is"
  ),
  Flag.filterMap(parseOutput, () => `one of ${planFormats.join(", ")}, or FORMAT=FILE`),
  Flag.atLeast(0)
)

const failOn = Flag.String("fail-on").pipe(
  Flag.withMetavar("PREDICATE"),
  Flag.withDescription(
    "Exit with 1 if this is true: available<90%, lost>0, pods>12 or duration>5m with any seed; stuck>1%, " +
      "duration.p50>5m or duration.p95>5m of all seeds. Can be repeated"
  ),
  Flag.atLeast(0)
)

const exhaustive = Flag.Boolean("exhaustive").pipe(
  Flag.withDescription(
    "Explore every order of Pods becoming ready, Pods failing and controllers reconciling, instead of seeds, " +
      `for up to ${replicasMax} replicas. Prints what holds in every order, and the shortest counterexample of what does not`
  ),
  Flag.withDefault(false)
)

const failures = Flag.String("failures").pipe(
  Flag.withMetavar("integer"),
  Flag.withDescription(
    `The number of failures to explore with --exhaustive (a Pod crashes, is lost or becomes unready): 0 to ${failuresMax}, 1 by default`
  ),
  Flag.filterMap(
    (text) => (/^\d$/.test(text) && Number(text) <= failuresMax ? Option.some(Number(text)) : Option.none()),
    () => `0 to ${failuresMax} failures`
  ),
  Flag.optional
)

const parseWhatIf = (text: string): Option.Option<number | undefined> => {
  if (text === "none") return Option.some(undefined)
  const [, digits] = /^start=(\d+(?:\.\d+)?)x$/.exec(text) ?? []
  const factor = Number(digits)
  return factor >= 1 && factor <= startFactorMax ? Option.some(factor) : Option.none()
}

const startFactor = Flag.String("what-if").pipe(
  Flag.withMetavar("start=Nx"),
  Flag.withDescription(
    "Whether Deployments are complete in time if their Pods take N times as long to start, and the slowest start " +
      `that is still in time: start=${startFactorDefault}x by default, or none`
  ),
  Flag.filterMap(parseWhatIf, () => `start=1x to start=${startFactorMax}x, or none`),
  Flag.withDefault(startFactorDefault)
)

const names = Argument.String("names").pipe(
  Argument.withMetavar("WORKLOAD"),
  Argument.withDescription(
    "The workloads to report in full, as web or sts/db; each other workload gets one line"
  ),
  Argument.variadic()
)

const verbose = Flag.Boolean("verbose").pipe(
  Flag.withAlias("v"),
  Flag.withDescription("Report every workload in full; by default only a single one"),
  Flag.withDefault(false)
)

const strict = Flag.Boolean("strict").pipe(
  Flag.withDescription("Exit with 1 for a risky rollout, too"),
  Flag.withDefault(false)
)

const settings = Flag.String("settings").pipe(
  Flag.withMetavar("FILE"),
  Flag.withDescription(
    "A file of PlanSettings; by default charthouse.yaml in the working folder, or beside the manifests"
  ),
  Flag.optional
)

const acceptUnknown = Flag.String("accept-unknown").pipe(
  Flag.withMetavar("KIND,…"),
  Flag.withDescription(
    `What may decide about a rollout without being played: ${unknownKinds.join(", ")}. Can be repeated`
  ),
  Flag.atLeast(0)
)

export const planCommand = (setExitCode: (code: ExitCode) => void) =>
  Command.make(
    "plan",
    {
      names,
      files,
      recursive,
      kustomizations,
      helmCharts,
      helmValues,
      serverSide,
      from,
      base,
      head,
      kubeconfig,
      context,
      namespace,
      seeds,
      shard,
      runs,
      jobImage,
      behaviour,
      assume,
      nodes,
      featureGates: featureGatesFlag,
      strategies: strategiesFlag,
      outputs,
      failOn,
      verbose,
      strict,
      settings,
      acceptUnknown,
      startFactor,
      exhaustive,
      failures
    },
    Effect.fnUntraced(function* (flagValues) {
      const { planFiles } = yield* Effect.promise(() => import("./planFiles.ts"))
      const code = yield* planFiles({
        ...flagValues,
        kubeconfig: Option.getOrUndefined(flagValues.kubeconfig),
        context: Option.getOrUndefined(flagValues.context),
        base: Option.getOrUndefined(flagValues.base),
        head: Option.getOrUndefined(flagValues.head),
        settings: Option.getOrUndefined(flagValues.settings),
        namespace: Option.getOrUndefined(flagValues.namespace),
        seeds: Option.getOrUndefined(flagValues.seeds),
        shard: Option.getOrUndefined(flagValues.shard),
        runs: Option.getOrUndefined(flagValues.runs),
        jobImage: Option.getOrUndefined(flagValues.jobImage),
        nodes: Option.getOrUndefined(flagValues.nodes),
        featureGates: Option.getOrUndefined(flagValues.featureGates),
        strategies: Option.getOrUndefined(flagValues.strategies),
        behaviour: Option.getOrUndefined(flagValues.behaviour),
        assume: Option.getOrUndefined(flagValues.assume),
        failures: Option.getOrUndefined(flagValues.failures)
      })
      setExitCode(code)
    })
  ).pipe(
    Command.withDescription(
      "Simulate a rollout with many seeds and report its steps, duration, fewest available Pods, lost requests and " +
        "resource requests; whether it is late or stuck, why, and which field to change. " +
        "A verdict comes first: ships, risky, stuck, or unknown, if something decides about the rollout that is not " +
        "played. Exits 0 when all rollouts ship, risky ones included unless --strict is given, 1 when one is stuck or " +
        "unknown or a --fail-on predicate is true, 2 when an argument or a manifest is invalid"
    ),
    Command.withShortDescription("Predict what a rollout will do, for people and for CI"),
    Command.withExamples([
      {
        command: "charthouse plan -f web-v2.yaml --from web-v1.yaml --fail-on 'available<90%'",
        description: "Will fewer than 90% be available?"
      },
      {
        command: "charthouse plan -f web-v2.yaml --kubeconfig live --fail-on 'lost>0'",
        description: "Begin with the objects of the cluster that kubectl uses"
      },
      {
        command: "charthouse plan -k overlays/production --base main",
        description: "In a pull request: what changes since main, and does it get worse?"
      },
      { command: "charthouse plan", description: "Plan what charthouse.yaml says" },
      {
        command: "charthouse plan -f web.yaml --assume start=20s,ready=5s..40s,crash=1% --seeds 1000",
        description: "Assume slow Pods, some of which crash"
      },
      {
        command:
          "charthouse plan -f web.yaml --seeds 30000 --shard 20 --as-job registry.example/charthouse:1",
        description: "Print a Job that plays it with twenty Pods"
      },
      {
        command: "charthouse plan -f web-v2.yaml --from web-v1.yaml --exhaustive --failures 2",
        description: "Explore every order of events, with up to two failures"
      }
    ])
  )
