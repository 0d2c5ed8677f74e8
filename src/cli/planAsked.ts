import * as Effect from "effect/Effect"
import { assumed } from "../scenario/plan/assumptions.ts"
import { BadInput, badInput } from "./badInput.ts"
import { counted } from "../domain/counted.ts"
import { deploymentKeys } from "../scenario/plan/documentKeys.ts"
import { namespacesAfter, tooEarly } from "../scenario/plan/standingNamespaces.ts"
import { filesIn } from "./folders.ts"
import { isLive, liveOf, refuseMisnamed, refuseOptions } from "./planOptions.ts"
import { ManifestsRefused } from "../manifests/manifestsRefused.ts"
import { namespaceOf, readLive } from "./planLive.ts"
import { nodesDefault } from "../domain/nodesDefault.ts"
import { predicatesIn } from "../scenario/plan/predicates.ts"
import { fromAnywhere, problemText } from "../manifests/manifest.ts"
import { readInput } from "./input.ts"
import { applyDocuments } from "../manifests/applyManifests.ts"
import { bringDocuments } from "../scenario/plan/bringUp.ts"
import { gatesIn } from "./featureGatesInput.ts"
import { rehearse } from "./rehearse.ts"
import { withStanding } from "../scenario/plan/takenToStand.ts"
import { unmeasured } from "../scenario/plan/unmeasured.ts"
import type { Input } from "./input.ts"
import type { Live } from "./planLive.ts"
import type { ManifestDocument } from "../manifests/manifest.ts"
import type { Assumptions } from "../scenario/plan/assumptions.ts"
import type { Parsed } from "../scenario/parsed.ts"
import type { PlanOptions } from "./planOptions.ts"
import type { PlanWorld } from "../scenario/plan/planRun.ts"
import type { Predicate } from "../scenario/plan/predicates.ts"

export interface Asked {
  readonly world: Omit<PlanWorld, "strategies">
  readonly predicates: ReadonlyArray<Predicate>
  /** What was read from the live cluster, a sentence each. */
  readonly notes: ReadonlyArray<string>
}

/** Reads the manifests and the starting point, and applies both in a dry run. */
export const readAsked = Effect.fnUntraced(function* (
  options: PlanOptions
): Effect.fn.Return<Asked, BadInput | ManifestsRefused> {
  yield* refuseOptions(options)
  const gates = yield* gatesIn(options.featureGates)
  const { failOn } = options
  const predicates = (yield* Effect.forEach(failOn, (text) =>
    parseFlag("--fail-on", text, predicatesIn(text))
  )).flat()
  const input = yield* readFiles(options)
  const assumptions = yield* assumptionsOf(options, input)
  const { documents = [] } = input.files.at(-1) ?? {}
  const next = documents.map(fromAnywhere)
  if (deploymentKeys(next).length === 0) {
    const have = options.files.length === 1 ? "has" : "have"
    return yield* badInput(
      `${options.files.join(", ")} ${have} no Deployment, so that there is no rollout to plan`
    )
  }
  const revisions = !options.exhaustive
  const live = isLive(options) ? yield* readLive(liveOf(options), next, { revisions }) : undefined
  yield* checkNodesFlag(options, live)
  const fromDocuments = options.from.length === 0 ? undefined : input.files[0]?.documents
  const before = live === undefined ? yield* startingPoint(fromDocuments, next) : live.from
  yield* rehearse((store) =>
    Effect.andThen(bringDocuments(store, before ?? [], live?.running), applyDocuments(store, next))
  )
  yield* checkPredicatesMeasurable(predicates, { from: before ?? [], next })
  return {
    world: worldOf({ options, input, assumptions, gates, live, before, next }),
    predicates,
    notes: live?.notes ?? []
  }
})

/** The starting point, completed with assumed objects. Fails if an object comes before its namespace. */
const startingPoint = (
  from: ReadonlyArray<ManifestDocument> | undefined,
  next: ReadonlyArray<ManifestDocument>
): Effect.Effect<ReadonlyArray<ManifestDocument> | undefined, ManifestsRefused> => {
  const problems = tooEarly(next, namespacesAfter(from ?? []))
  return problems.length === 0
    ? Effect.succeed(withStanding(from, next))
    : Effect.fail(new ManifestsRefused({ problems }))
}

const readFiles = Effect.fnUntraced(function* (options: PlanOptions): Effect.fn.Return<Input, BadInput> {
  const { behaviour } = options
  // An empty namespace is none, as for kubectl, whose callers may pass an empty variable.
  const requestedNamespace = options.namespace === "" ? undefined : options.namespace
  yield* refuseMisnamed(requestedNamespace)
  const namespace = requestedNamespace ?? (isLive(options) ? yield* namespaceOf(liveOf(options)) : undefined)
  const next = yield* filesIn(options.files)
  const files = options.from.length === 0 ? [next] : [yield* filesIn(options.from), next]
  const input = yield* readInput({ files, behaviour, namespace, leavesCustom: true })
  yield* checkNamespaces(requestedNamespace, input)
  return input
})

const assumptionsOf = ({ assume }: PlanOptions, { behaviour }: Input): Effect.Effect<Assumptions, BadInput> =>
  assume === undefined
    ? Effect.succeed({ behaviour, traffic: {} })
    : parseFlag("--assume", assume, assumed(assume, behaviour))

const worldOf = ({
  options,
  input,
  assumptions: { behaviour, traffic },
  gates,
  live,
  before,
  next
}: {
  readonly options: PlanOptions
  readonly input: Input
  readonly assumptions: Assumptions
  readonly gates: Pick<PlanWorld, "featureGates">
  readonly live: Live | undefined
  readonly before: ReadonlyArray<ManifestDocument> | undefined
  readonly next: ReadonlyArray<ManifestDocument>
}): Asked["world"] => {
  // An explicit assumption overrides what was measured.
  const hasAssumptions = behaviour !== input.behaviour
  return {
    next,
    ...(before === undefined ? {} : { from: before }),
    ...(live === undefined ? {} : { running: live.running }),
    ...gates,
    nodes: options.nodes ?? (live?.nodes === undefined ? nodesDefault : 0),
    traffic,
    behaviours: [
      ...(live?.failing ?? []),
      ...input.behaviours,
      ...(hasAssumptions ? [] : (live?.behaviours ?? []))
    ],
    ...(behaviour === undefined ? {} : { behaviour }),
    warnings: [...input.warnings, ...(live?.warnings ?? [])]
  }
}

/** Fails with a caret under the column of the problem. */
const parseFlag = <A>(flag: string, text: string, parsed: Parsed<A>): Effect.Effect<A, BadInput> =>
  parsed.ok
    ? Effect.succeed(parsed.value)
    : Effect.fail(
        new BadInput({
          lines: parsed.problems.flatMap(({ column, message }) => [
            `error: ${flag}, column ${column}: ${message}`,
            `  ${text}`,
            `  ${" ".repeat(column - 1)}^`
          ])
        })
      )

/** The live cluster already says how many nodes there are. */
const checkNodesFlag = ({ nodes }: PlanOptions, live: Live | undefined): Effect.Effect<void, BadInput> => {
  if (nodes === undefined || live?.nodes === undefined) return Effect.void
  const nodesText = counted(live.nodes, "node")
  return Effect.fail(
    badInput(`--nodes has no part in a plan for a cluster whose nodes are known: ${nodesText}`)
  )
}

/** As kubectl does, fails for objects of another namespace than --namespace. */
const checkNamespaces = (
  namespaceWanted: string | undefined,
  { files }: Pick<Input, "files">
): Effect.Effect<void, BadInput> => {
  const lines = files.flatMap(({ documents }) =>
    documents.flatMap((document) => {
      const { namespace = namespaceWanted } = document.draft.metadata
      if (namespaceWanted === undefined || namespace === namespaceWanted) return []
      const message =
        `the namespace from the provided object "${namespace}" does not match the namespace "${namespaceWanted}". ` +
        `You must pass '--namespace=${namespace}' to perform this operation.`
      return [problemText({ ...document, message })]
    })
  )
  return lines.length > 0 ? Effect.fail(new BadInput({ lines })) : Effect.void
}

const checkPredicatesMeasurable = (
  predicates: ReadonlyArray<Predicate>,
  documents: Parameters<typeof unmeasured>[1]
): Effect.Effect<void, BadInput> => {
  for (const predicate of predicates) {
    const why = unmeasured(predicate, documents, "--from")
    if (why !== undefined) return Effect.fail(badInput(`--fail-on ${predicate.text}: ${why}`))
  }
  return Effect.void
}
