import { describe } from "vitest"
import { aDraft, refusesChange, refusesNew } from "../kindErrors.ts"

const group = "rbac.authorization.k8s.io"
const draftOf = (kind: string, more: object) => aDraft(kind, "reader", more)
const rules = [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }]
const urls = [{ verbs: ["get"], nonResourceURLs: ["/healthz"] }]
const bothKinds = "rules cannot apply to both regular resources and non-resource URLs"

describe("a Role", () => {
  refusesNew(draftOf("Role", { rules }), [
    { why: "is valid", edits: [], errors: [] },
    { why: "may have no rules", edits: [["rules", null]], errors: [] },
    {
      why: "has verbs, groups and resources in each rule",
      edits: [["rules", [{}]]],
      errors: [
        "rules[0].verbs: Required value: verbs must contain at least one value",
        "rules[0].apiGroups: Required value: resource rules must supply at least one api group",
        "rules[0].resources: Required value: resource rules must supply at least one resource"
      ]
    },
    {
      why: "has no URLs",
      edits: [["rules", urls]],
      errors: [
        'rules[0].nonResourceURLs: Invalid value: ["/healthz"]: namespaced rules cannot apply to non-resource URLs'
      ]
    }
  ])
})

describe("a ClusterRole", () => {
  refusesNew(draftOf("ClusterRole", { rules }), [
    { why: "may have URLs", edits: [["rules", urls]], errors: [] },
    {
      why: "has either URLs or resources in a rule",
      edits: [["rules", [{ ...urls[0], ...rules[0] }]]],
      errors: [`rules[0].nonResourceURLs: Invalid value: ["/healthz"]: ${bothKinds}`]
    },
    {
      why: "says what it aggregates",
      edits: [["aggregationRule", {}]],
      errors: [
        "aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if " +
          "aggregationRule is non-nil"
      ]
    },
    {
      why: "aggregates by a valid selector",
      edits: [
        ["aggregationRule", { clusterRoleSelectors: [{ matchExpressions: [{ key: "a", operator: "Has" }] }] }]
      ],
      errors: [
        'aggregationRule.clusterRoleSelectors[0].matchExpressions[0].operator: Invalid value: "Has": not a valid ' +
          "selector operator",
        'aggregationRule.clusterRoleSelectors[0]: Invalid value: {"matchExpressions":[{"key":"a","operator":"Has"}]}: ' +
          "invalid label selector."
      ]
    }
  ])
})

const roleRef = { apiGroup: group, kind: "ClusterRole", name: "view" }
const subjects = [{ kind: "User", name: "ann", apiGroup: group }]

describe("a RoleBinding", () => {
  refusesNew(draftOf("RoleBinding", { roleRef, subjects }), [
    { why: "is valid", edits: [], errors: [] },
    { why: "may bind a Role", edits: [["roleRef.kind", "Role"]], errors: [] },
    { why: "may leave out the group of the role", edits: [["roleRef.apiGroup", undefined]], errors: [] },
    {
      why: "needs a role",
      edits: [["roleRef", undefined]],
      errors: [
        'roleRef.kind: Unsupported value: "": supported values: "Role", "ClusterRole"',
        "roleRef.name: Required value"
      ]
    },
    {
      why: "has a role of this group, with a name that fits into a path",
      edits: [["roleRef", { apiGroup: "apps", kind: "ClusterRole", name: "a/b" }]],
      errors: [
        `roleRef.apiGroup: Unsupported value: "apps": supported values: "${group}"`,
        "roleRef.name: Invalid value: \"a/b\": may not contain '/'"
      ]
    },
    {
      why: "binds subjects of known kinds, with their groups",
      edits: [
        [
          "subjects",
          [
            { kind: "Robot", name: "r2" },
            { kind: "ServiceAccount", name: "a_b", apiGroup: group },
            { kind: "Group", name: "", apiGroup: "v1" }
          ]
        ]
      ],
      errors: [
        'subjects[0].kind: Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"',
        'subjects[1].name: Invalid value: "a_b": a lowercase RFC 1123 subdomain must consist of lower case ' +
          "alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. " +
          "'example.com', regex used for validation is " +
          "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
        `subjects[1].apiGroup: Unsupported value: "${group}": supported values: ""`,
        "subjects[2].name: Required value",
        `subjects[2].apiGroup: Unsupported value: "v1": supported values: "${group}"`
      ]
    }
  ])
  refusesChange(draftOf("RoleBinding", { roleRef, subjects }), [
    { why: "may change its subjects", edits: [["subjects", []]], errors: [] },
    { why: "may leave out a group that is filled in", edits: [["roleRef.apiGroup", undefined]], errors: [] },
    {
      why: "keeps its role",
      edits: [["roleRef.name", "edit"]],
      errors: [
        `roleRef: Invalid value: {"APIGroup":"${group}","Kind":"ClusterRole","Name":"edit"}: cannot change roleRef`
      ]
    }
  ])
})

describe("a ClusterRoleBinding", () => {
  const aBinding = draftOf("ClusterRoleBinding", { roleRef, subjects })
  refusesNew(aBinding, [
    { why: "is valid", edits: [], errors: [] },
    {
      why: "binds a ClusterRole, and ServiceAccounts of a namespace",
      edits: [
        ["roleRef.kind", "Role"],
        ["subjects", [{ kind: "ServiceAccount", name: "default" }]]
      ],
      errors: [
        'roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"',
        "subjects[0].namespace: Required value"
      ]
    }
  ])
  refusesChange(aBinding, [
    {
      why: "keeps its role",
      edits: [["roleRef.name", "edit"]],
      errors: [
        `roleRef: Invalid value: {"APIGroup":"${group}","Kind":"ClusterRole","Name":"edit"}: cannot change roleRef`
      ]
    }
  ])
})
