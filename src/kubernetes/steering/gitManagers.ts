import { allManagedFieldsOf } from "../apply/managedFields/allManagedFields.ts"
import { isFields } from "../meta/fields.ts"
import type { Deployment } from "../meta/objects.ts"

/** The controllers that apply templates from Git, and would apply them again over any other. */
export const defaultGitManagers: ReadonlyArray<string> = [
  "argocd-controller",
  "argocd-application-controller",
  "kustomize-controller",
  "helm-controller"
]

/** Those of the managers that own fields of the Deployment's Pod template. */
export const gitManagersOf = (
  deployment: Deployment,
  managers: ReadonlyArray<string> = defaultGitManagers
): ReadonlyArray<string> => {
  const owners = allManagedFieldsOf(deployment).filter(
    ({ manager = "", fieldsV1 }) => managers.includes(manager) && ownsTemplate(fieldsV1)
  )
  return [...new Set(owners.map(({ manager = "" }) => manager))]
}

const ownsTemplate = (fields: unknown): boolean => {
  const spec = isFields(fields) ? fields["f:spec"] : undefined
  return isFields(spec) && spec["f:template"] !== undefined
}
