import { completeManagedFieldsOf } from "../kubernetes/apply/managedFields/completeManagedFields.ts"
import { isFields } from "../kubernetes/meta/fields.ts"
import type { Deployment } from "../kubernetes/meta/objects.ts"

/** The field managers of controllers that apply templates from Git: these would undo a rollback. */
export const defaultGitManagers: ReadonlyArray<string> = [
  "argocd-controller",
  "argocd-application-controller",
  "kustomize-controller",
  "helm-controller"
]

export const gitManagersOwningTemplate = (
  deployment: Deployment,
  managers: ReadonlyArray<string> = defaultGitManagers
): ReadonlyArray<string> => {
  const owners = completeManagedFieldsOf(deployment).filter(
    ({ manager = "", fieldsV1 }) => managers.includes(manager) && ownsTemplate(fieldsV1)
  )
  return [...new Set(owners.map(({ manager = "" }) => manager))]
}

const ownsTemplate = (fields: unknown): boolean => {
  const spec = isFields(fields) ? fields["f:spec"] : undefined
  return isFields(spec) && spec["f:template"] !== undefined
}
