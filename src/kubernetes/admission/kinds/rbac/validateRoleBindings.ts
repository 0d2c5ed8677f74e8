import type * as Rbac from "kubernetes-types/rbac/v1.js"
import type { Draft } from "../../../meta/objects.ts"
import {
  invalidField,
  noErrors,
  requiredValue,
  unsupportedValue,
  type FieldErrors
} from "../../../validation/fieldErrors.ts"
import { pathSegmentProblems, subdomainProblems } from "../../../validation/nameRules.ts"
import type { DeepPartial, ShallowPartial } from "../../../validation/partialTypes.ts"
import { validateOptionalName, validateRequiredName } from "../../../validation/validateNames.ts"

interface BindingDraft extends Draft {
  readonly roleRef?: RoleRef | null
  readonly subjects?: ReadonlyArray<Subject> | null
}

type RoleRef = ShallowPartial<Rbac.RoleRef>
type Subject = DeepPartial<Rbac.Subject>

const rbacGroup = "rbac.authorization.k8s.io"

/** Source: pkg/apis/rbac/validation/validation.go (ValidateRoleBinding). */
export const validateRoleBinding = (binding: BindingDraft): FieldErrors =>
  validateBinding(binding, { roleKinds: ["Role", "ClusterRole"], isNamespaced: true })

export const validateClusterRoleBinding = (binding: BindingDraft): FieldErrors =>
  validateBinding(binding, { roleKinds: ["ClusterRole"], isNamespaced: false })

export const validateRoleBindingUpdate = (binding: BindingDraft, old: BindingDraft): FieldErrors => [
  ...validateRoleBinding(binding),
  ...validateSameRole(binding.roleRef, old.roleRef)
]

export const validateClusterRoleBindingUpdate = (binding: BindingDraft, old: BindingDraft): FieldErrors => [
  ...validateClusterRoleBinding(binding),
  ...validateSameRole(binding.roleRef, old.roleRef)
]

/** Messages show Kubernetes' internal struct. Defaults have filled in a missing group. */
const printableRole = (roleRef: RoleRef | null | undefined) => ({
  APIGroup: roleRef?.apiGroup || rbacGroup,
  Kind: roleRef?.kind ?? "",
  Name: roleRef?.name ?? ""
})

const validateSameRole = (
  roleRef: RoleRef | null | undefined,
  old: RoleRef | null | undefined
): FieldErrors => {
  const [now, before] = [printableRole(roleRef), printableRole(old)]
  return now.APIGroup === before.APIGroup && now.Kind === before.Kind && now.Name === before.Name
    ? noErrors
    : [invalidField("roleRef", now, "cannot change roleRef")]
}

const validateBinding = (
  { roleRef, subjects }: BindingDraft,
  { roleKinds, isNamespaced }: { readonly roleKinds: ReadonlyArray<string>; readonly isNamespaced: boolean }
): FieldErrors => {
  const { APIGroup: group, Kind: kind, Name: name } = printableRole(roleRef)
  return [
    ...(group === rbacGroup ? noErrors : [unsupportedValue("roleRef.apiGroup", group, [rbacGroup])]),
    ...(roleKinds.includes(kind) ? noErrors : [unsupportedValue("roleRef.kind", kind, roleKinds)]),
    ...validateRequiredName(pathSegmentProblems, name, { path: "roleRef.name" }),
    ...(subjects ?? []).flatMap((subject, index) =>
      validateSubject(subject, { path: `subjects[${index}]`, isNamespaced })
    )
  ]
}

const validateSubject = (
  { kind = "", name = "", apiGroup = "", namespace = "" }: Subject,
  { path, isNamespaced }: { readonly path: string; readonly isNamespaced: boolean }
): FieldErrors => {
  const nameErrors = name === "" ? [requiredValue(`${path}.name`)] : noErrors
  switch (kind) {
    case "ServiceAccount":
      return [
        ...nameErrors,
        ...validateOptionalName(subdomainProblems, name, `${path}.name`),
        ...(apiGroup === "" ? noErrors : [unsupportedValue(`${path}.apiGroup`, apiGroup, [""])]),
        ...(!isNamespaced && namespace === "" ? [requiredValue(`${path}.namespace`)] : noErrors)
      ]
    case "User":
    case "Group":
      return apiGroup === "" || apiGroup === rbacGroup
        ? nameErrors
        : [...nameErrors, unsupportedValue(`${path}.apiGroup`, apiGroup, [rbacGroup])]
    default:
      return [...nameErrors, unsupportedValue(`${path}.kind`, kind, ["ServiceAccount", "User", "Group"])]
  }
}
