import { describe } from "vitest"
import { aDraft, refusesNew } from "./kindErrors.ts"
import { labelRule } from "../drafts.ts"

const resourceRules = [{ verbs: ["get"], apiGroups: [""], resources: ["pods"], namespaces: ["shop"] }]
const subjects = [{ kind: "User", user: { name: "ann" } }]
const aSchema = aDraft("FlowSchema", "ann", {
  spec: {
    priorityLevelConfiguration: { name: "low" },
    matchingPrecedence: 100,
    rules: [{ subjects, resourceRules }]
  }
})
const rule = "spec.rules[0]"

describe("a FlowSchema", () => {
  refusesNew(aSchema, [
    { why: "is valid", edits: [], errors: [] },
    {
      why: "leads to a level, after the exempt ones",
      edits: [
        ["spec.priorityLevelConfiguration", {}],
        ["spec.matchingPrecedence", 1],
        ["spec.distinguisherMethod", { type: "ByHat" }]
      ],
      errors: [
        "spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1",
        'spec.distinguisherMethod.type: Unsupported value: {"Type":"ByHat"}: supported values: "ByNamespace", "ByUser"',
        "spec.priorityLevelConfiguration.name: Required value: must reference a priority level"
      ]
    },
    {
      why: "has a precedence within bounds",
      edits: [["spec.matchingPrecedence", 10_001]],
      errors: ["spec.matchingPrecedence: Invalid value: 10001: must not be greater than 10000"]
    },
    {
      why: "has rules about subjects and requests",
      edits: [["spec.rules", [{}]]],
      errors: [
        `${rule}.subjects: Required value: subjects must contain at least one value`,
        `${rule}: Required value: at least one of resourceRules and nonResourceRules has to be non-empty`
      ]
    },
    {
      why: "has subjects that are what they say",
      edits: [
        [
          "spec.rules.0.subjects",
          [
            { kind: "Robot" },
            { kind: "Group", user: { name: "a" } },
            { kind: "ServiceAccount", serviceAccount: {} }
          ]
        ]
      ],
      errors: [
        'subjects[0].kind: Unsupported value: "Robot": supported values: "Group", "ServiceAccount", "User"',
        "subjects[1].group: Required value: group is required when subject kind is 'Group'",
        "subjects[1].user: Forbidden: user is forbidden when subject kind is not 'User'",
        "subjects[2].serviceAccount.name: Required value",
        "subjects[2].serviceAccount.namespace: Required value: must specify namespace for service account"
      ].map((error) => `${rule}.${error}`)
    },
    {
      why: "has requests that exist",
      edits: [
        [
          "spec.rules.0.resourceRules",
          [
            { verbs: ["look"], namespaces: ["A"] },
            { verbs: ["*", "get"], apiGroups: ["*", "a"], resources: ["*", "b"] }
          ]
        ],
        ["spec.rules.0.nonResourceRules", [{}]]
      ],
      errors: [
        'resourceRules[0].verbs: Unsupported value: ["look"]: supported values: "create", "delete", ' +
          '"deletecollection", "get", "list", "patch", "proxy", "update", "watch"',
        "resourceRules[0].apiGroups: Required value: resource rules must supply at least one api group",
        "resourceRules[0].resources: Required value: resource rules must supply at least one resource",
        `resourceRules[0].namespaces[0]: Invalid value: "A": each member of this list must be '*' or a DNS-1123 label; ${labelRule}`,
        `resourceRules[1].verbs: Invalid value: ["*","get"]: if '*' is present, must not specify other verbs`,
        `resourceRules[1].apiGroups: Invalid value: ["*","a"]: if '*' is present, must not specify other api groups`,
        `resourceRules[1].resources: Invalid value: ["*","b"]: if '*' is present, must not specify other resources`,
        "resourceRules[1].namespaces: Required value: resource rules that are not cluster scoped must supply at least " +
          "one namespace",
        "nonResourceRules[0].verbs: Required value: verbs must contain at least one value",
        "nonResourceRules[0].nonResourceURLs: Required value: nonResourceURLs must contain at least one value"
      ].map((error) => `${rule}.${error}`)
    }
  ])
})

describe("a PriorityLevelConfiguration", () => {
  refusesNew(aDraft("PriorityLevelConfiguration", "low", { spec: { type: "Limited", limited: {} } }), [
    { why: "is valid", edits: [], errors: [] },
    {
      why: "is exempt by its name alone",
      edits: [["spec.type", "Exempt"]],
      errors: [
        "spec.type: Invalid value: \"Exempt\": type must be 'Exempt' if and only if name is 'exempt'",
        "spec.limited: Forbidden: must be nil if the type is not Limited"
      ]
    },
    {
      why: "has limits if it is limited",
      edits: [["spec.limited", undefined]],
      errors: ["spec.limited: Required value: must not be empty when type is Limited"]
    },
    {
      why: "has a type that exists",
      edits: [["spec.type", "Vague"]],
      errors: ['spec.type: Unsupported value: "Vague": supported values: "Exempt", "Limited"']
    }
  ])
})
