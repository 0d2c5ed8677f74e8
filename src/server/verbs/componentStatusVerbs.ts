import * as Effect from "effect/Effect"
import { makeRefusal, noReason } from "../http/statuses.ts"
import { toObjectAnswer, type VerbHandler } from "../requests/apiCall.ts"
import { readListSelection } from "../requests/listSelection.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"

/**
 * The components are parts of this process, so they are healthy.
 *
 * Source: pkg/registry/core/componentstatus/rest.go, pkg/controlplane/apiserver (the validated servers).
 */
const healthOf = (name: string) => ({
  apiVersion: "v1",
  kind: "ComponentStatus",
  metadata: { name },
  conditions: [{ type: "Healthy", status: "True", message: "ok" }]
})

// These objects are not stored, and so have no uid, version or time of creation.
const components = ["controller-manager", "etcd-0", "scheduler"].map(
  (name) => healthOf(name) as unknown as KubeObject
)

const listComponents: VerbHandler = (call) =>
  Effect.sync(() => {
    const items = components.filter(readListSelection(call).matches)
    const page = { items, resourceVersion: "", continue: undefined, remainingItemCount: undefined }
    return { type: "list", kind: call.target.kind, page }
  })

const getComponent: VerbHandler = ({ target: { name = "" } }) =>
  Effect.sync(() => {
    const component = components.find(({ metadata }) => metadata.name === name)
    if (component === undefined) throw makeRefusal(500, noReason, `Component not found: ${name}`)
    return toObjectAnswer(component)
  })

export const componentStatusVerb = (verb: string): VerbHandler =>
  verb === "list" ? listComponents : getComponent
