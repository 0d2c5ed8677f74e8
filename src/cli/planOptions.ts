import * as Effect from "effect/Effect"
import { badInput } from "./badInput.ts"
import { labelProblems } from "../domain/admission/names.ts"
import type { BadInput } from "./badInput.ts"

/** What is asked for on the command line. */
export interface PlanOptions {
  /** What is rolled out: files, and folders of them, as `kubectl apply` takes them. */
  readonly files: ReadonlyArray<string>
  /** What runs before, likewise; nothing where there are none. */
  readonly from: ReadonlyArray<string>
  /** 1 to 100 where they are left out. */
  readonly seeds: ReadonlyArray<number> | undefined
  readonly behaviour: string | undefined
  readonly assume: string | undefined
  /** What runs before is read from a cluster: a kubeconfig, or `live` for the one that kubectl would use. */
  readonly kubeconfig: string | undefined
  readonly context: string | undefined
  /** Where objects are that name none: the context's where a cluster is read, or `default`, where it is left out. */
  readonly namespace: string | undefined
  /** Those of the cluster that is read, or 3, where it is left out. */
  readonly nodes: number | undefined
  /** `Name=false,...`; the defaults of release 1.36 where they are left out. */
  readonly featureGates: string | undefined
  readonly output: "table" | "json" | "html"
  readonly failOn: ReadonlyArray<string>
  /** Every order of events instead of seeds. */
  readonly exhaustive: boolean
  /** How many failures every order has at the most; 1 where it is left out. */
  readonly failures: number | undefined
}

/** Whether what runs before is read from a cluster. */
export const isLive = ({ kubeconfig, context }: PlanOptions): boolean =>
  kubeconfig !== undefined || context !== undefined

/** The cluster that is meant. */
export const liveOf = ({ kubeconfig, context }: PlanOptions) => ({
  kubeconfig: kubeconfig === "live" ? undefined : kubeconfig,
  context
})

/** What contradicts itself, or has no part in what is asked, is refused before anything is read. */
export const refuseOptions = Effect.fnUntraced(function* (
  options: PlanOptions
): Effect.fn.Return<void, BadInput> {
  yield* refuseTwice(options)
  yield* refuseIdle(options)
})

const refuseTwice = (options: PlanOptions): Effect.Effect<void, BadInput> =>
  isLive(options) && options.from.length > 0
    ? Effect.fail(
        badInput("what runs before is either in a file or in a cluster: give --from or --kubeconfig")
      )
    : Effect.void

/** What says how long things take, or how often they fail, says nothing where all of that may be so. */
const refuseIdle = (options: PlanOptions): Effect.Effect<void, BadInput> => {
  const { exhaustive, failures, assume, behaviour, featureGates, seeds } = options
  if (exhaustive && seeds !== undefined) {
    return Effect.fail(badInput("--seeds has no part in --exhaustive, which leaves nothing to chance"))
  }
  const idle = assume !== undefined ? "--assume" : behaviour !== undefined ? "--behaviour" : undefined
  if (exhaustive && idle !== undefined) {
    return Effect.fail(
      badInput(`${idle} has no part in --exhaustive, which explores every order, however long anything takes`)
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

/** A namespace is named as kubectl would take it. */
export const refuseMisnamed = (namespace: string | undefined): Effect.Effect<void, BadInput> => {
  const [problem] = namespace === undefined ? [] : labelProblems(namespace)
  return problem === undefined ? Effect.void : Effect.fail(badInput(`--namespace ${namespace}: ${problem}`))
}
