import * as Effect from "effect/Effect"
import { BadInput } from "./badInput.ts"
import { findCreateProblem, documentProblem } from "../../manifests/manifestProblems.ts"
import { groupResourceOf, resources } from "../../kubernetes/meta/kinds.ts"
import { problemText } from "../../manifests/manifestDocument.ts"
import { readManifests } from "../../manifests/readManifests.ts"
import { readTextFiles } from "./textFiles.ts"
import type { Draft } from "../../kubernetes/meta/objects.ts"
import type { ManifestDocument, ManifestProblem } from "../../manifests/manifestDocument.ts"
import type { NodesArgument } from "../flags/sharedFlags.ts"

/** A number of nodes, or Node drafts, to which the cluster adds defaults and identity. */
export type NodesInput = number | ReadonlyArray<Draft>

export const readNodesArgument = Effect.fnUntraced(function* (
  argument: NodesArgument
): Effect.fn.Return<NodesInput, BadInput> {
  if (typeof argument === "number") return argument
  const { documents, problems } = readManifests(yield* readTextFiles([argument.file]), {
    strict: true,
    refusesDuplicates: true
  })
  const allProblems = [...problems, ...nodeProblems(documents)]
  if (allProblems.length > 0) return yield* new BadInput({ lines: allProblems.map(problemText) })
  return documents.map(({ draft }) => draft)
})

const nodeProblems = (documents: ReadonlyArray<ManifestDocument>): ReadonlyArray<ManifestProblem> =>
  documents.flatMap((document) => {
    const { kind, draft } = document
    if (groupResourceOf(kind) !== resources.nodes)
      return [
        documentProblem(document, `${kind.kind}/${draft.metadata.name} is no Node: --nodes takes Nodes only`)
      ]
    return findCreateProblem(document) ?? []
  })

export const countNodes = (nodes: NodesInput): number => (typeof nodes === "number" ? nodes : nodes.length)
