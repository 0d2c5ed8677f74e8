import * as Effect from "effect/Effect"
import { withoutIdentity } from "../../../manifests/manifestDocument.ts"
import { withoutAcceptedPodSecurity } from "../../../plan/previous/enforcedStandards.ts"
import { markLargeForServerSideApply } from "../../../plan/previous/largeObjects.ts"
import { manifestSources } from "../../input/manifestSources.ts"
import { readInput } from "../../input/readInput.ts"
import {
  checkNamespaceName,
  checkNamespaces,
  clusterAccessOf,
  readsFromCluster
} from "../planCommandOptions.ts"
import { contextNamespace } from "../readLiveCluster.ts"
import { readVersions } from "./readVersions.ts"
import type { ManifestDocument } from "../../../manifests/manifestDocument.ts"
import type { UnknownKind } from "../../../plan/verdicts/unknownKinds.ts"
import type { BadInput } from "../../input/badInput.ts"
import type { DecodedInput } from "../../input/readInput.ts"
import type { PlanCommandOptions } from "../planCommandOptions.ts"
import type { GitRevision } from "./gitRevision.ts"

export interface PlanManifests {
  readonly input: DecodedInput
  readonly base: GitRevision | undefined
  /** Undefined without --from and --base. */
  readonly before: ReadonlyArray<ManifestDocument> | undefined
  readonly next: ReadonlyArray<ManifestDocument>
  readonly sizeWarnings: ReadonlyArray<string>
}

export const readPlanManifests = Effect.fnUntraced(function* (
  options: PlanCommandOptions,
  acceptedUnknowns: ReadonlyArray<UnknownKind>
): Effect.fn.Return<PlanManifests, BadInput> {
  const { input, base } = yield* readFiles(options)
  const markLarge = (documents: ReadonlyArray<ManifestDocument>) =>
    markLargeForServerSideApply(withoutAcceptedPodSecurity(documents, acceptedUnknowns))
  // The last files are the rollout; with --from or --base, the first ones are the state before it.
  const [first, last] = [input.files[0], input.files.at(-1)]
  const hasBefore = options.from.length > 0 || base !== undefined
  const next = markLarge((last?.documents ?? []).map(withoutIdentity))
  return {
    input,
    base,
    before: hasBefore ? markLarge(first?.documents ?? []).documents : undefined,
    next: next.documents,
    sizeWarnings: next.warnings
  }
})

const readFiles = Effect.fnUntraced(function* (
  options: PlanCommandOptions
): Effect.fn.Return<Pick<PlanManifests, "input" | "base">, BadInput> {
  const { behaviour } = options
  // As for kubectl, whose callers may pass an empty variable, an empty namespace is none.
  const requestedNamespace = options.namespace === "" ? undefined : options.namespace
  yield* checkNamespaceName(requestedNamespace)
  const namespace =
    requestedNamespace ??
    (readsFromCluster(options) ? yield* contextNamespace(clusterAccessOf(options)) : undefined)
  const { recursive, serverSide } = options
  const flags = { ...options, namespace }
  const versions = options.base === undefined ? undefined : yield* readVersions(flags, options.base)
  const next = versions?.next ?? (yield* manifestSources(flags))
  const from = options.from.length === 0 ? [] : [yield* manifestSources({ files: options.from, recursive })]
  const input = yield* readInput({
    files: [...(versions === undefined ? from : [versions.from]), next],
    areVersionsOfSameFiles: versions !== undefined,
    behaviour,
    namespace,
    skipsCustomResources: true,
    serverSide,
    toleratesRefused: !options.exhaustive
  })
  yield* checkNamespaces(requestedNamespace, input)
  return { input, base: versions?.base }
})
