import { describe, expect, it } from "vitest"
import { validateCreate, validateUpdate, withDefaults } from "../../../../src/kubernetes/admission/admit.ts"
import {
  aDeployment,
  aReplicaSet,
  deployments,
  edited,
  replicaSets,
  errorTexts,
  type Edit,
  type ErrorRow
} from "../drafts.ts"

const mismatch =
  'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`'

const negative = "must be greater than or equal to 0"
const percentRule =
  "a valid percent string must be a numeric string followed by an ending '%' " +
  "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"
const unavailable = "spec.strategy.rollingUpdate.maxUnavailable"
const surge = "spec.strategy.rollingUpdate.maxSurge"

const rolling = (maxUnavailable: unknown, maxSurge: unknown): Edit => [
  "spec.strategy",
  { type: "RollingUpdate", rollingUpdate: { maxUnavailable, maxSurge } }
]

const deploymentErrors = (...edits: ReadonlyArray<Edit>): ReadonlyArray<string> =>
  errorTexts(validateCreate(deployments, edited(withDefaults(deployments, aDeployment()), ...edits)))

const replicaSetErrors = (...edits: ReadonlyArray<Edit>): ReadonlyArray<string> =>
  errorTexts(validateCreate(replicaSets, edited(withDefaults(replicaSets, aReplicaSet()), ...edits)))

describe("a Deployment (TestValidateDeployment)", () => {
  const rows: ReadonlyArray<ErrorRow> = [
    { why: "is valid with its defaults", edits: [], errors: [] },
    { why: "may have 0 replicas", edits: [["spec.replicas", 0]], errors: [] },
    { why: "may have ten million replicas", edits: [["spec.replicas", 10_000_000]], errors: [] },
    {
      why: "rejects negative replicas",
      edits: [["spec.replicas", -3]],
      errors: [`spec.replicas: Invalid value: -3: ${negative}`]
    },
    {
      why: "rejects negative minReadySeconds",
      edits: [["spec.minReadySeconds", -1]],
      errors: [`spec.minReadySeconds: Invalid value: -1: ${negative}`]
    },
    {
      why: "rejects a negative history limit",
      edits: [["spec.revisionHistoryLimit", -7]],
      errors: [`spec.revisionHistoryLimit: Invalid value: -7: ${negative}`]
    },
    {
      why: "accepts the largest history limit",
      edits: [["spec.revisionHistoryLimit", 2147483647]],
      errors: []
    },
    {
      why: "rejects a negative progress deadline",
      edits: [["spec.progressDeadlineSeconds", -1]],
      errors: [
        `spec.progressDeadlineSeconds: Invalid value: -1: ${negative}`,
        "spec.progressDeadlineSeconds: Invalid value: -1: must be greater than minReadySeconds"
      ]
    },
    {
      why: "rejects a progress deadline of 0",
      edits: [["spec.progressDeadlineSeconds", 0]],
      errors: ["spec.progressDeadlineSeconds: Invalid value: 0: must be greater than minReadySeconds"]
    },
    {
      why: "requires a progress deadline above minReadySeconds",
      edits: [
        ["spec.progressDeadlineSeconds", 17],
        ["spec.minReadySeconds", 17]
      ],
      errors: ["spec.progressDeadlineSeconds: Invalid value: 17: must be greater than minReadySeconds"]
    },
    {
      why: "requires a selector, without which the template does not match",
      edits: [
        ["spec.selector", undefined],
        ["spec.template.spec.containers", []]
      ],
      errors: ["spec.selector: Required value", mismatch, "spec.template.spec.containers: Required value"]
    },
    {
      why: "rejects an empty selector",
      edits: [["spec.selector", {}]],
      errors: ["spec.selector: Invalid value: {}: empty selector is invalid for deployment"]
    },
    {
      why: "rejects an unknown operator",
      edits: [["spec.selector", { matchExpressions: [{ key: "app", operator: "Is", values: ["web"] }] }]],
      errors: [
        'spec.selector.matchExpressions[0].operator: Invalid value: "Is": not a valid selector operator',
        "spec.selector: Invalid value: " +
          '{"matchExpressions":[{"key":"app","operator":"Is","values":["web"]}]}: ' +
          "invalid label selector"
      ]
    },
    {
      why: "requires values for In",
      edits: [["spec.selector", { matchExpressions: [{ key: "app", operator: "In" }] }]],
      errors: [
        "spec.selector.matchExpressions[0].values: Required value: " +
          "must be specified when `operator` is 'In' or 'NotIn'",
        'spec.selector: Invalid value: {"matchExpressions":[{"key":"app","operator":"In"}]}: invalid ' +
          "label selector"
      ]
    },
    {
      why: "requires a template that matches the selector",
      edits: [["spec.template.metadata.labels", { tier: "front", app: "shop" }]],
      errors: [
        'spec.template.metadata.labels: Invalid value: {"app":"shop","tier":"front"}: ' +
          "`selector` does not match template `labels`"
      ]
    },
    {
      why: "rejects a template without labels",
      edits: [["spec.template.metadata", undefined]],
      errors: [
        "spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`"
      ]
    },
    {
      why: "rejects an unknown strategy",
      edits: [["spec.strategy", { type: "Canary" }]],
      errors: [
        'spec.strategy: Unsupported value: {"Type":"Canary","RollingUpdate":null}: ' +
          'supported values: "Recreate", "RollingUpdate"'
      ]
    },
    {
      why: "forbids rollingUpdate for Recreate",
      edits: [["spec.strategy.type", "Recreate"]],
      errors: [
        "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"
      ]
    },
    { why: "accepts Recreate", edits: [["spec.strategy", { type: "Recreate" }]], errors: [] },
    {
      why: "rejects 0 for both maxSurge and maxUnavailable",
      edits: [rolling(0, 0)],
      errors: [`${unavailable}: Invalid value: 0: may not be 0 when \`maxSurge\` is 0`]
    },
    {
      why: "rejects 0% for maxUnavailable when maxSurge is 0",
      edits: [rolling("0%", 0)],
      errors: [`${unavailable}: Invalid value: "0%": may not be 0 when \`maxSurge\` is 0`]
    },
    {
      why: "rejects maxUnavailable above 100%",
      edits: [rolling("101%", 1)],
      errors: [`${unavailable}: Invalid value: "101%": must not be greater than 100%`]
    },
    { why: "accepts maxSurge above 100%", edits: [rolling("100%", "250%")], errors: [] },
    {
      why: "requires whole percentages",
      edits: [rolling("10.5%", "abc")],
      errors: [
        `${unavailable}: Invalid value: "10.5%": ${percentRule}`,
        `${surge}: Invalid value: "abc": ${percentRule}`,
        `${unavailable}: Invalid value: "10.5%": may not be 0 when \`maxSurge\` is 0`
      ]
    },
    {
      why: "rejects a number in quotes",
      edits: [rolling(1, "3")],
      errors: [`${surge}: Invalid value: "3": ${percentRule}`]
    },
    {
      why: "rejects negative maxSurge and maxUnavailable",
      edits: [rolling(-1, "-5%")],
      errors: [
        `${unavailable}: Invalid value: -1: ${negative}`,
        `${surge}: Invalid value: "-5%": ${percentRule}`
      ]
    }
  ]
  it.each(rows)("$why", ({ edits, errors }) => {
    expect(deploymentErrors(...edits)).toEqual(errors)
  })

  it("requires a spec", () => {
    const bare = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web", namespace: "shop" } }
    expect(errorTexts(validateCreate(deployments, bare))).toContain("spec.selector: Required value")
  })
})

describe("the template of a workload (TestValidateDeployment, TestValidateReplicaSet)", () => {
  const rows: ReadonlyArray<ErrorRow> = [
    {
      why: "allows only Always as restart policy",
      edits: [["spec.template.spec.restartPolicy", "OnFailure"]],
      errors: ['spec.template.spec.restartPolicy: Unsupported value: "OnFailure": supported values: "Always"']
    },
    {
      why: "forbids activeDeadlineSeconds",
      edits: [["spec.template.spec.activeDeadlineSeconds", 7]],
      errors: [
        "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet is " +
          "not Supported"
      ]
    },
    {
      why: "forbids ephemeral containers",
      edits: [["spec.template.spec.ephemeralContainers", [{ name: "debug", image: "busybox" }]]],
      errors: [
        "spec.template.spec.ephemeralContainers: Forbidden: " +
          "ephemeral containers not allowed in pod template"
      ]
    },
    {
      why: "requires a container",
      edits: [["spec.template.spec.containers", []]],
      errors: ["spec.template.spec.containers: Required value"]
    },
    {
      why: "accepts an image of spaces, which the Pod's validation rejects",
      edits: [["spec.template.spec.containers.0.image", " "]],
      errors: []
    },
    {
      why: "validates labels, at a path without `metadata`",
      edits: [
        ["spec.selector", { matchLabels: { app: "web" } }],
        ["spec.template.metadata.labels", { app: "web", "/": "x" }]
      ],
      errors: [
        'spec.template.labels: Invalid value: "/": prefix part must be non-empty',
        'spec.template.labels: Invalid value: "/": name part must be non-empty',
        'spec.template.labels: Invalid value: "/": name part must consist of alphanumeric characters, ' +
          "'-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  " +
          "or 'my.name',  " +
          "or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
      ]
    }
  ]
  it.each(rows)("$why", ({ edits, errors }) => {
    expect(deploymentErrors(...edits)).toEqual(errors)
    expect(replicaSetErrors(...edits)).toEqual(errors)
  })
})

describe("a ReplicaSet (TestValidateReplicaSet)", () => {
  const rows: ReadonlyArray<ErrorRow> = [
    { why: "is valid with its defaults", edits: [], errors: [] },
    {
      why: "rejects negative replicas",
      edits: [["spec.replicas", -1]],
      errors: [`spec.replicas: Invalid value: -1: ${negative}`]
    },
    {
      why: "rejects negative minReadySeconds",
      edits: [["spec.minReadySeconds", -5]],
      errors: [`spec.minReadySeconds: Invalid value: -5: ${negative}`]
    },
    {
      why: "requires a selector",
      edits: [["spec.selector", undefined]],
      errors: ["spec.selector: Required value", mismatch]
    },
    {
      why: "rejects an empty selector, in the words of a Deployment",
      edits: [["spec.selector", { matchLabels: {} }]],
      errors: ["spec.selector: Invalid value: {}: empty selector is invalid for deployment"]
    },
    {
      why: "requires a template that matches the selector",
      edits: [["spec.selector.matchLabels", { app: "shop" }]],
      errors: [
        'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match ' +
          "template `labels`"
      ]
    }
  ]
  it.each(rows)("$why", ({ edits, errors }) => {
    expect(replicaSetErrors(...edits)).toEqual(errors)
  })
})

describe("huge pages in a template (TestDeploymentStrategyValidate, TestDeploymentStrategyValidateUpdate)", () => {
  const hugePagesEdit = (size: string): Edit => [
    "spec.template.spec.containers.0.resources",
    { limits: { cpu: "1", "hugepages-2Mi": size }, requests: { cpu: "1", "hugepages-2Mi": size } }
  ]
  const [whole, part, otherPart] = [hugePagesEdit("4Mi"), hugePagesEdit("2.1Mi"), hugePagesEdit("3.1Mi")]
  const stored = withDefaults(deployments, aDeployment())

  it("must be whole in a new Deployment", () => {
    expect(deploymentErrors(whole)).toEqual([])
    expect(deploymentErrors(part)).toHaveLength(2)
  })

  it.each([
    { why: "the stored ones are fractional as well", oldEdit: part, to: otherPart, errors: 0 },
    { why: "from fractional to whole", oldEdit: part, to: whole, errors: 0 },
    { why: "from whole to fractional", oldEdit: whole, to: part, errors: 2 }
  ])("cause $errors errors in an update: $why", ({ oldEdit, to, errors }) => {
    const old = edited(stored, oldEdit)
    expect(errorTexts(validateUpdate(deployments, edited(stored, to), old))).toHaveLength(errors)
  })
})

describe.each([
  { name: "Deployment", kind: deployments, stored: withDefaults(deployments, aDeployment()) },
  { name: "ReplicaSet", kind: replicaSets, stored: withDefaults(replicaSets, aReplicaSet()) }
])(
  "an update of a $name (TestValidateDeploymentUpdate, TestValidateReplicaSetUpdate, TestSelectorImmutability)",
  ({ kind, stored }) => {
    const rows: ReadonlyArray<ErrorRow> = [
      { why: "may scale up", edits: [["spec.replicas", 11]], errors: [] },
      {
        why: "may change the image",
        edits: [["spec.template.spec.containers.0.image", "registry.example/app:v4"]],
        errors: []
      },
      {
        why: "is validated like a new object",
        edits: [["spec.replicas", -1]],
        errors: [`spec.replicas: Invalid value: -1: ${negative}`]
      },
      {
        why: "may not change the selector, even if the template matches",
        edits: [
          ["spec.selector", { matchLabels: { tier: "a", app: "shop" } }],
          ["spec.template.metadata.labels", { app: "shop", tier: "a" }]
        ],
        errors: [
          'spec.selector: Invalid value: {"matchLabels":{"app":"shop","tier":"a"}}: field is immutable'
        ]
      },
      {
        why: "may not remove the selector",
        edits: [["spec.selector", undefined]],
        errors: [
          "spec.selector: Required value",
          mismatch,
          "spec.selector: Invalid value: null: field is immutable"
        ]
      },
      {
        why: "may add an empty list of expressions to the selector",
        edits: [["spec.selector", { matchExpressions: [], matchLabels: { app: "web" } }]],
        errors: []
      }
    ]
    it.each(rows)("$why", ({ edits, errors }) => {
      expect(errorTexts(validateUpdate(kind, edited(stored, ...edits), stored))).toEqual(errors)
    })
  }
)
