import * as Effect from "effect/Effect"
import { isPodFinished } from "../../kubernetes/pods/podState.ts"
import { toObjectKey } from "../../kubernetes/meta/objects.ts"
import { quotaReleaseMillis } from "../../kubernetes/core/quotas.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { validateResourceQuota } from "../../kubernetes/admission/kinds/validateResourceQuota.ts"
import { invalidObject } from "../../store/storeRefusals.ts"
import { lastingKind } from "../faultKind.ts"
import { refusedByStore } from "../faultRefused.ts"
import type { Draft } from "../../kubernetes/meta/objects.ts"
import type { FieldErrors } from "../../kubernetes/validation/fieldErrors.ts"
import type { StoreError } from "../../store/storeErrors.ts"
import type { FaultKinds, FaultNamed, FaultContext } from "../faultKind.ts"
import type { QuotaFaultTypes } from "../schemas/quotaFaultSchemas.ts"

export const quotaFaults: FaultKinds<keyof QuotaFaultTypes> = {
  quotaExhausted: lastingKind({
    text: ({ namespace = "default", hard = {} }) => {
      const amounts = Object.entries(hard).map(([name, amount]) => `${name}=${amount}`)
      return `the quota of namespace ${namespace} is ${amounts.length === 0 ? "used up" : amounts.join(", ")}`
    },
    begin: ({ namespace = "default", hard }, context) =>
      Effect.gen(function* () {
        const name = freeQuotaName(context, namespace)
        const quota = quotaOf(name, namespace, hard ?? { pods: String(quotaPodCount(context, namespace)) })
        const { metadata } = yield* Effect.mapError(
          Effect.andThen(refuseInvalid(context, quota), context.store.create(quota)),
          (error) => refusedByStore("quotaExhausted", error)
        )
        return { name, uid: metadata.uid }
      }),
    makeLasting: ({ namespace = "default" }, { store }, { name, uid }) => {
      const ref = { resource: resources.resourceQuotas, key: toObjectKey(namespace, name) }
      return { end: Effect.ignore(store.delete(ref, { preconditions: { uid } })) }
    }
  })
}

type QuotaDraft = Draft & { readonly spec: object }

const quotaOf = (name: string, namespace: string, hard: Readonly<Record<string, string>>): QuotaDraft => ({
  apiVersion: "v1",
  kind: "ResourceQuota",
  metadata: { name, namespace },
  spec: { hard }
})

export const quotaFaultErrors = ({
  namespace = "default",
  hard = {}
}: FaultNamed<"quotaExhausted">): FieldErrors =>
  validateResourceQuota(quotaOf(namePrefix + 1, namespace, hard))

/** The store draws a uid before it validates: a refusal there would change the names of later objects. */
const refuseInvalid = ({ view }: FaultContext, quota: QuotaDraft): Effect.Effect<void, StoreError> => {
  const kind = view.kinds.findStored(quota)
  const errors = validateResourceQuota(quota)
  if (kind === undefined || errors.length === 0) return Effect.void
  return Effect.fail(invalidObject(kind, quota.metadata.name ?? "", errors))
}

const namePrefix = "charthouse-fault-"

const freeQuotaName = ({ view }: FaultContext, namespace: string): string => {
  for (let number = 1; ; number += 1) {
    const name = `${namePrefix}${number}`
    if (view.get(resources.resourceQuotas, toObjectKey(namespace, name)) === undefined) return name
  }
}

/** A terminating Pod counts until its grace period is over. */
const quotaPodCount = ({ view, kernel }: FaultContext, namespace: string): number =>
  [...view.all(resources.pods)].filter(
    (pod) =>
      pod.metadata.namespace === namespace &&
      !isPodFinished(pod) &&
      (quotaReleaseMillis(pod) ?? Infinity) >= kernel.nowMillis()
  ).length
