import * as Effect from "effect/Effect"
import { badInput } from "./badInput.ts"
import { complain } from "./terminal.ts"
import { keyIn } from "../domain/objects.ts"
import { resources } from "../domain/kinds.ts"
import { wordsOf } from "../wordsOf.ts"
import type * as Scope from "effect/Scope"
import type { Cluster } from "../cluster.ts"
import type { Input } from "./input.ts"
import type { BadInput } from "./badInput.ts"
import type { InspectionEvent } from "xstate"

/** An inspector that is open. */
interface Inspection {
  readonly inspect: (event: InspectionEvent) => void
  /** Begins with the cluster that it is given to, and says who is not there yet. */
  readonly begin: (cluster: Cluster["Service"], input: Pick<Input, "files">) => void
}

/** Opens Stately's inspector and says where it is; it closes with the scope. */
export const openInspection = Effect.fnUntraced(function* (
  port: number,
  only: string | undefined
): Effect.fn.Return<Inspection, BadInput, Scope.Scope> {
  const { openInspector } = yield* Effect.promise(() => import("../inspect/stately.ts"))
  const { selectedIds, UnknownSelection } = yield* Effect.promise(() => import("../inspect/selection.ts"))
  const chosen = only === undefined ? undefined : [only]
  const inspector = yield* Effect.acquireRelease(
    Effect.tryPromise({
      try: () => openInspector({ port, ...(chosen === undefined ? {} : { chosen }) }),
      catch: (cause) =>
        badInput(
          cause instanceof UnknownSelection
            ? cause.message
            : `the inspector cannot listen on port ${port}: ${wordsOf(cause)}`
        )
    }),
    ({ close }) => Effect.promise(close)
  )
  complain(`the statecharts can be watched at ${inspector.url}`)
  return {
    inspect: inspector.inspect,
    begin: (cluster, input) => {
      inspector.follow({ onChange: cluster.onChange, present: presentIn(cluster) })
      for (const id of chosen === undefined ? [] : selectedIds(chosen)) {
        if (!isThere(id, cluster, input)) complain(`${id} is not there yet: it is shown as soon as it is`)
      }
    }
  }
})

const inspected = {
  deployment: resources.deployments,
  replicaSet: resources.replicaSets,
  pod: resources.pods,
  node: resources.nodes
} as const

const presentIn = ({ view }: Cluster["Service"]) =>
  Object.values(inspected).flatMap((resource) =>
    [...view.all(resource)].map((object) => ({ resource, object }))
  )

/** It is, or what was given makes it. */
const isThere = (id: string, { view }: Cluster["Service"], { files }: Pick<Input, "files">): boolean => {
  const [chart = "", ...place] = id.split("/")
  const resource = Object.entries(inspected).find(([it]) => it === chart)?.[1]
  if (resource === undefined || view.get(resource, place.join("/")) !== undefined) return true
  return files.some(({ documents }) =>
    documents.some(
      ({ kind, draft }) =>
        kind.kind.toLowerCase() === chart.toLowerCase() &&
        keyIn(draft.metadata.namespace, draft.metadata.name ?? "") === place.join("/")
    )
  )
}
