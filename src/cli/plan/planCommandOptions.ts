import * as Effect from "effect/Effect"
import { BadInput, badInput } from "../input/badInput.ts"
import { problemText } from "../../manifests/manifestDocument.ts"
import { labelProblems } from "../../kubernetes/validation/nameRules.ts"
import type { NodesArgument } from "../flags/sharedFlags.ts"
import { completionIndexVariable, shareOf } from "./shards/share.ts"
import type { Share, ShareRequest } from "./shards/share.ts"
import type { PlanOutput } from "./outputs/planFormats.ts"
import type { DecodedInput } from "../input/readInput.ts"

export interface PlanCommandOptions {
  /** Workloads, as `name` or `namespace/name`. */
  readonly names: ReadonlyArray<string>
  readonly files: ReadonlyArray<string>
  readonly recursive: boolean
  readonly kustomizations: ReadonlyArray<string>
  readonly helmCharts: ReadonlyArray<string>
  readonly helmValues: ReadonlyArray<string>
  /** The server merges the manifests, as with `kubectl apply --server-side`. */
  readonly serverSide: boolean
  /** Files and folders of the state before the rollout. */
  readonly from: ReadonlyArray<string>
  /** The git revision of the state before the rollout. */
  readonly base: string | undefined
  /** The planned git revision; the working tree if undefined. */
  readonly head: string | undefined
  readonly seeds: ReadonlyArray<number> | undefined
  readonly shard: ShareRequest | undefined
  /** The folder for a shard's runs, or `-` for standard output. */
  readonly runs: string | undefined
  readonly jobImage: string | undefined
  readonly behaviour: string | undefined
  /** Assumptions such as `start=20s,crash=1%`. */
  readonly assume: string | undefined
  /** The cluster with the state before the rollout: a kubeconfig file, or `live` for kubectl's. */
  readonly kubeconfig: string | undefined
  readonly context: string | undefined
  readonly namespace: string | undefined
  readonly nodes: NodesArgument | undefined
  readonly featureGates: string | undefined
  readonly strategies: string | undefined
  /** A table if empty. */
  readonly outputs: ReadonlyArray<PlanOutput>
  /** Predicates such as `available<90%`. */
  readonly failOn: ReadonlyArray<string>
  readonly settings: string | undefined
  /** How many times as long Pods take to start in the what-if runs; undefined for none. */
  readonly startFactor: number | undefined
  readonly verbose: boolean
  readonly strict: boolean
  readonly acceptUnknown: ReadonlyArray<string>
  readonly exhaustive: boolean
  /** The most failures in one explored order of events; 1 by default. */
  readonly failures: number | undefined
}

export const readsFromCluster = ({ kubeconfig, context }: PlanCommandOptions): boolean =>
  kubeconfig !== undefined || context !== undefined

export const clusterAccessOf = ({ kubeconfig, context }: PlanCommandOptions) => ({
  kubeconfig: kubeconfig === "live" ? undefined : kubeconfig,
  context
})

export const checkPlanOptions = Effect.fnUntraced(function* (
  options: PlanCommandOptions
): Effect.fn.Return<void, BadInput> {
  yield* checkSources(options)
  yield* checkOneStartingPoint(options)
  yield* checkExhaustiveFlags(options)
  yield* checkShardFlags(options)
})

/** Source: cli-runtime/pkg/resource/builder.go (RequireFilenameOrKustomize). */
const checkSources = ({
  files,
  kustomizations,
  helmCharts,
  helmValues
}: PlanCommandOptions): Effect.Effect<void, BadInput> => {
  if (files.length + kustomizations.length + helmCharts.length === 0)
    return Effect.fail(badInput("must specify one of -f, -k and --helm, or have a charthouse.yaml here"))
  return helmCharts.length === 0 && helmValues.length > 0
    ? Effect.fail(badInput("--values has no part in a plan without --helm"))
    : Effect.void
}

const checkOneStartingPoint = (options: PlanCommandOptions): Effect.Effect<void, BadInput> => {
  const { base, head, from } = options
  if (head !== undefined && base === undefined)
    return Effect.fail(badInput("--head has no part without --base"))
  const startingPoints = [from.length > 0, readsFromCluster(options), base !== undefined]
  return startingPoints.filter(Boolean).length > 1
    ? Effect.fail(
        badInput(
          "what runs before is in a file, in a cluster or in git: give one of --from, --kubeconfig and --base"
        )
      )
    : Effect.void
}

/** Delays and failure rates have no effect where every order is explored. */
const checkExhaustiveFlags = (options: PlanCommandOptions): Effect.Effect<void, BadInput> => {
  const { exhaustive, failures, assume, behaviour, featureGates, seeds } = options
  if (exhaustive && seeds !== undefined) {
    return Effect.fail(badInput("--seeds has no part in --exhaustive, which leaves nothing to chance"))
  }
  const flagWithoutEffect =
    assume !== undefined ? "--assume" : behaviour !== undefined ? "--behaviour" : undefined
  if (exhaustive && flagWithoutEffect !== undefined) {
    return Effect.fail(
      badInput(
        `${flagWithoutEffect} has no part in --exhaustive, which explores every order, however long anything takes`
      )
    )
  }
  if (exhaustive && featureGates !== undefined) {
    return Effect.fail(
      badInput("--feature-gates has no part in --exhaustive, which explores what the defaults lead to")
    )
  }
  return exhaustive || failures === undefined
    ? Effect.void
    : Effect.fail(badInput("--failures says how many there may be with --exhaustive"))
}

export const playedShare = ({ shard }: PlanCommandOptions): Share | undefined =>
  shard === undefined ? undefined : shareOf(shard, process.env[completionIndexVariable])

/** All shards and the merge must read the same files. */
const checkShardFlags = (options: PlanCommandOptions): Effect.Effect<void, BadInput> => {
  const { shard, runs, jobImage, exhaustive, files } = options
  if (jobImage !== undefined) {
    const problem = jobFlagsProblem(options)
    if (problem !== undefined) return Effect.fail(badInput(problem))
  } else if ((shard === undefined) !== (runs === undefined))
    return Effect.fail(badInput("--shard says which seeds are played, and --runs where to: give both"))
  else if (shard !== undefined && playedShare(options) === undefined)
    return Effect.fail(
      badInput(
        `--shard ${shard.count} takes its number from ${completionIndexVariable}, which an Indexed Job sets: say K/N`
      )
    )
  if (shard === undefined) return Effect.void
  if (exhaustive) return Effect.fail(badInput("--shard has no part in --exhaustive, which has no seeds"))
  return readsFromCluster(options) || files.includes("-")
    ? Effect.fail(
        badInput("shards read the same files: a cluster or the standard input may change meanwhile")
      )
    : Effect.void
}

const jobFlagsProblem = ({ shard, runs, base, strategies }: PlanCommandOptions): string | undefined => {
  if (shard === undefined) return "--as-job needs --shard N, the number of Pods that share the seeds"
  if (shard.index !== undefined) return "--as-job gives each Pod its part: say --shard N"
  if (runs !== undefined) return "--runs has no part in --as-job, whose Pods print their runs"
  if (strategies !== undefined)
    return "--as-job cannot give its Pods the module of --strategies, nor what that imports"
  return base === undefined ? undefined : "--as-job has no git in its Pods: say --from instead of --base"
}

export const checkNamespaceName = (namespace: string | undefined): Effect.Effect<void, BadInput> => {
  const [problem] = namespace === undefined ? [] : labelProblems(namespace)
  return problem === undefined ? Effect.void : Effect.fail(badInput(`--namespace ${namespace}: ${problem}`))
}

/** As kubectl does, fails for objects of another namespace than --namespace. */
export const checkNamespaces = (
  expectedNamespace: string | undefined,
  { files }: Pick<DecodedInput, "files">
): Effect.Effect<void, BadInput> => {
  const lines = files.flatMap(({ documents }) =>
    documents.flatMap((document) => {
      const { namespace = expectedNamespace } = document.draft.metadata
      if (expectedNamespace === undefined || namespace === expectedNamespace) return []
      const message =
        `the namespace from the provided object "${namespace}" does not match the namespace "${expectedNamespace}". ` +
        `You must pass '--namespace=${namespace}' to perform this operation.`
      return [problemText({ ...document, message })]
    })
  )
  return lines.length > 0 ? Effect.fail(new BadInput({ lines })) : Effect.void
}
