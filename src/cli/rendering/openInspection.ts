import * as Effect from "effect/Effect"
import { actorKindList } from "../../../machines/actorKinds.ts"
import { badInput } from "../input/badInput.ts"
import { printToStderr } from "../terminal/terminal.ts"
import { toObjectKey } from "../../kubernetes/meta/objects.ts"
import { systemErrorText } from "../../platform/systemErrorText.ts"
import type * as Scope from "effect/Scope"
import type { Cluster } from "../../cluster/cluster.ts"
import type { DecodedInput } from "../input/readInput.ts"
import type { BadInput } from "../input/badInput.ts"
import type { InspectionEvent } from "xstate"

interface Inspection {
  readonly inspect: (event: InspectionEvent) => void
  /** Prints which selected objects do not exist yet. */
  readonly attachTo: (cluster: Cluster["Service"], input: Pick<DecodedInput, "files">) => void
}

export const openInspection = Effect.fnUntraced(function* (
  port: number,
  /** Comma-separated objects, such as `deployment/web`; all by default. */
  selectedObjects: string | undefined
): Effect.fn.Return<Inspection, BadInput, Scope.Scope> {
  const { openInspector } = yield* Effect.promise(() => import("../../inspect/stately.ts"))
  const { parseSelections, UnknownSelection } = yield* Effect.promise(
    () => import("../../inspect/actorSelection.ts")
  )
  const selection = selectedObjects === undefined ? undefined : [selectedObjects]
  const inspector = yield* Effect.acquireRelease(
    Effect.tryPromise({
      try: () => openInspector({ port, ...(selection === undefined ? {} : { chosen: selection }) }),
      catch: (cause) =>
        badInput(
          cause instanceof UnknownSelection
            ? cause.message
            : `the inspector cannot listen on port ${port}: ${systemErrorText(cause)}`
        )
    }),
    ({ close }) => Effect.promise(close)
  )
  printToStderr(`the statecharts can be watched at ${inspector.url}`)
  return {
    inspect: inspector.inspect,
    attachTo: (cluster, input) => {
      inspector.follow({ onChange: cluster.onChange, existingObjects: presentObjects(cluster) })
      for (const actorId of selection === undefined ? [] : parseSelections(selection)) {
        if (!isPresentOrInInput(actorId, cluster, input))
          printToStderr(`${actorId} is not there yet: it is shown as soon as it is`)
      }
    }
  }
})

const presentObjects = ({ view }: Cluster["Service"]) =>
  actorKindList.flatMap(({ resource }) =>
    resource === undefined ? [] : [...view.all(resource)].map((object) => ({ resource, object }))
  )

const isPresentOrInInput = (
  actorId: string,
  { view }: Cluster["Service"],
  { files }: Pick<DecodedInput, "files">
): boolean => {
  const [chart = "", ...keyParts] = actorId.split("/")
  const key = keyParts.join("/")
  const resource = actorKindList.find((it) => it.chart === chart)?.resource
  // `parseSelections` refuses kinds without a resource.
  if (resource === undefined || view.get(resource, key) !== undefined) return true
  return files.some(({ documents }) =>
    documents.some(
      ({ kind, draft }) =>
        kind.kind.toLowerCase() === chart.toLowerCase() &&
        toObjectKey(draft.metadata.namespace, draft.metadata.name ?? "") === key
    )
  )
}
