import { relative } from "node:path"
import * as Effect from "effect/Effect"
import { findRevision, renamedFiles, atMergeBase } from "./gitRevision.ts"
import { manifestSources } from "../../input/manifestSources.ts"
import { readRevision } from "./readRevision.ts"
import type { BadInput } from "../../input/badInput.ts"
import type { GitRevision } from "./gitRevision.ts"
import type { ManifestFlags, ManifestSource } from "../../input/manifestSources.ts"

interface ManifestVersions {
  readonly base: GitRevision
  readonly from: ReadonlyArray<ManifestSource>
  readonly next: ReadonlyArray<ManifestSource>
}

/** What the flags name in two git revisions, or in one and in the working tree. */
export const readVersions = Effect.fnUntraced(function* (
  flags: ManifestFlags & { readonly head: string | undefined },
  baseRef: string
): Effect.fn.Return<ManifestVersions, BadInput> {
  const head = flags.head === undefined ? undefined : yield* findRevision("--head", flags.head)
  const requestedBase = yield* findRevision("--base", baseRef)
  const base = yield* atMergeBase(requestedBase, head?.commit ?? "HEAD")
  const comparedRevisions = head === undefined ? [base] : [base, head]
  const from = yield* readRevision(base, flags, {
    treeName: `${baseRef}:`,
    pathPrefix: `${baseRef}:`,
    comparedRevisions,
    renames: yield* Effect.cached(renamedFiles(base, head))
  })
  const next =
    head === undefined
      ? yield* manifestSources(flags)
      : yield* readRevision(head, flags, {
          ...namesFrom(relative(process.cwd(), base.topFolder)),
          comparedRevisions
        })
  return { base, from, next }
})

const namesFrom = (pathToTop: string): { readonly treeName: string; readonly pathPrefix: string } =>
  pathToTop === "" ? { treeName: ".", pathPrefix: "" } : { treeName: pathToTop, pathPrefix: `${pathToTop}/` }
