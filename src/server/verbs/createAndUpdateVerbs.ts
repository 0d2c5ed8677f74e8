import * as Effect from "effect/Effect"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { withCompleteManagedFields } from "../../kubernetes/apply/managedFields/completeManagedFields.ts"
import { toObjectKey } from "../../kubernetes/meta/objects.ts"
import { NotFound } from "../../store/storeErrors.ts"
import { readDryRun, decodeBody } from "../requests/decodeBody.ts"
import { withOwnershipOnCreate, withOwnershipOnUpdate } from "./fieldOwnership.ts"
import { requireRequestName, inRequestNamespace } from "../requests/requestIdentity.ts"
import { storeNewObject, storeReplacement } from "./storeObjects.ts"
import type { VerbHandler } from "../requests/apiCall.ts"

// The request handler answers a thrown `Refusal` like a failed effect.

export const createVerb: VerbHandler = (call) =>
  Effect.suspend(() => {
    const { target } = call
    const dryRun = readDryRun(call.query, "CreateOptions")
    const draft = inRequestNamespace(decodeBody(call, target.kind, "CreateOptions"), target)
    return storeNewObject(call, withOwnershipOnCreate(call, draft), { dryRun })
  })

export const updateVerb: VerbHandler = (call) =>
  Effect.suspend(() => {
    const { services, target } = call
    const { resource, name = "", namespace, subresource } = target
    const dryRun = readDryRun(call.query, "UpdateOptions")
    const draft = requireRequestName(
      inRequestNamespace(decodeBody(call, target.kind, "UpdateOptions"), target),
      target
    )
    const storedObject = services.view.get(resource, toObjectKey(namespace, name))
    if (storedObject !== undefined) {
      // Managed fields are computed on read: the stored object lacks those of recent writes.
      const storedWithManagedFields = withCompleteManagedFields(storedObject)
      return storeReplacement(
        call,
        storedWithManagedFields,
        withOwnershipOnUpdate(call, storedWithManagedFields, draft),
        { dryRun }
      )
    }
    return subresource === undefined && createdByUpdate.has(resource)
      ? storeNewObject(call, withOwnershipOnCreate(call, draft), { dryRun })
      : Effect.fail(new NotFound({ resource, resourceName: name }))
  })

/** Kinds that a PUT creates if missing. Source: AllowCreateOnUpdate in pkg/registry. */
const createdByUpdate: ReadonlySet<string> = new Set([
  resources.events,
  "endpoints",
  "leases.coordination.k8s.io",
  "limitranges",
  "services",
  ...["roles", "rolebindings", "clusterroles", "clusterrolebindings"].map(
    (plural) => `${plural}.rbac.authorization.k8s.io`
  )
])
