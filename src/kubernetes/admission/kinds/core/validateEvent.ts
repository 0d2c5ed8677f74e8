import type { ObjectReference } from "kubernetes-types/core/v1.js"
import type { Draft } from "../../../meta/objects.ts"
import { invalidField, noErrors, type FieldErrors } from "../../../validation/fieldErrors.ts"

interface EventDraft extends Draft {
  readonly eventTime?: string | null
  readonly involvedObject?: ObjectReference
}

/**
 * Events of objects without a namespace are in `default`. With `eventTime`, the namespaces may
 * differ. Source: pkg/apis/core/validation/events.go (legacyValidateEvent).
 */
export const validateEvent = ({ metadata, eventTime, involvedObject }: EventDraft): FieldErrors => {
  const { namespace = "" } = metadata
  const objectNamespace = involvedObject?.namespace ?? ""
  const isTimed = (eventTime ?? "") !== ""
  const isAllowed =
    objectNamespace === ""
      ? ["default", isTimed ? "kube-system" : ""].includes(namespace)
      : isTimed || objectNamespace === namespace
  const problem = "does not match event.namespace"
  return isAllowed ? noErrors : [invalidField("involvedObject.namespace", objectNamespace, problem)]
}
