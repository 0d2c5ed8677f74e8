import { describe, expect, it } from "vitest"
import { validateCreate, validateUpdate, withDefaults } from "../../../src/kubernetes/admission/admit.ts"
import {
  aDeployment,
  aReplicaSet,
  deployments,
  edited,
  replicaSets,
  texts,
  type Edit,
  type ErrorRow
} from "./drafts.ts"

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
  texts(validateCreate(deployments, edited(withDefaults(deployments, aDeployment()), ...edits)))

const replicaSetErrors = (...edits: ReadonlyArray<Edit>): ReadonlyArray<string> =>
  texts(validateCreate(replicaSets, edited(withDefaults(replicaSets, aReplicaSet()), ...edits)))

describe("a Deployment (TestValidateDeployment)", () => {
  const rows: ReadonlyArray<ErrorRow> = [
    { why: "with its defaults is fine", edits: [], errors: [] },
    { why: "may want nothing", edits: [["spec.replicas", 0]], errors: [] },
    { why: "may want ten million Pods", edits: [["spec.replicas", 10_000_000]], errors: [] },
    {
      why: "wants no negative number of Pods",
      edits: [["spec.replicas", -3]],
      errors: [`spec.replicas: Invalid value: -3: ${negative}`]
    },
    {
      why: "does not look back in time",
      edits: [["spec.minReadySeconds", -1]],
      errors: [`spec.minReadySeconds: Invalid value: -1: ${negative}`]
    },
    {
      why: "keeps no negative number of revisions",
      edits: [["spec.revisionHistoryLimit", -7]],
      errors: [`spec.revisionHistoryLimit: Invalid value: -7: ${negative}`]
    },
    { why: "may keep every revision", edits: [["spec.revisionHistoryLimit", 2147483647]], errors: [] },
    {
      why: "has a deadline that lies ahead",
      edits: [["spec.progressDeadlineSeconds", -1]],
      errors: [
        `spec.progressDeadlineSeconds: Invalid value: -1: ${negative}`,
        "spec.progressDeadlineSeconds: Invalid value: -1: must be greater than minReadySeconds"
      ]
    },
    {
      why: "cannot have a deadline of 0",
      edits: [["spec.progressDeadlineSeconds", 0]],
      errors: ["spec.progressDeadlineSeconds: Invalid value: 0: must be greater than minReadySeconds"]
    },
    {
      why: "gives Pods more time than they need",
      edits: [
        ["spec.progressDeadlineSeconds", 17],
        ["spec.minReadySeconds", 17]
      ],
      errors: ["spec.progressDeadlineSeconds: Invalid value: 17: must be greater than minReadySeconds"]
    },
    {
      why: "needs a selector, without which it does not select its own Pods",
      edits: [
        ["spec.selector", undefined],
        ["spec.template.spec.containers", []]
      ],
      errors: ["spec.selector: Required value", mismatch, "spec.template.spec.containers: Required value"]
    },
    {
      why: "does not select every Pod there is",
      edits: [["spec.selector", {}]],
      errors: ["spec.selector: Invalid value: {}: empty selector is invalid for deployment"]
    },
    {
      why: "has a selector that can be read",
      edits: [["spec.selector", { matchExpressions: [{ key: "app", operator: "Is", values: ["web"] }] }]],
      errors: [
        'spec.selector.matchExpressions[0].operator: Invalid value: "Is": not a valid selector operator',
        "spec.selector: Invalid value: " +
          '{"matchExpressions":[{"key":"app","operator":"Is","values":["web"]}]}: ' +
          "invalid label selector"
      ]
    },
    {
      why: "names values to choose from",
      edits: [["spec.selector", { matchExpressions: [{ key: "app", operator: "In" }] }]],
      errors: [
        "spec.selector.matchExpressions[0].values: Required value: " +
          "must be specified when `operator` is 'In' or 'NotIn'",
        'spec.selector: Invalid value: {"matchExpressions":[{"key":"app","operator":"In"}]}: invalid ' +
          "label selector"
      ]
    },
    {
      why: "selects its own Pods",
      edits: [["spec.template.metadata.labels", { tier: "front", app: "shop" }]],
      errors: [
        'spec.template.metadata.labels: Invalid value: {"app":"shop","tier":"front"}: ' +
          "`selector` does not match template `labels`"
      ]
    },
    {
      why: "selects its own Pods, which have no labels at all",
      edits: [["spec.template.metadata", undefined]],
      errors: [
        "spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`"
      ]
    },
    {
      why: "has one of two strategies",
      edits: [["spec.strategy", { type: "Canary" }]],
      errors: [
        'spec.strategy: Unsupported value: {"Type":"Canary","RollingUpdate":null}: ' +
          'supported values: "Recreate", "RollingUpdate"'
      ]
    },
    {
      why: "does not roll while it recreates",
      edits: [["spec.strategy.type", "Recreate"]],
      errors: [
        "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"
      ]
    },
    { why: "may recreate", edits: [["spec.strategy", { type: "Recreate" }]], errors: [] },
    {
      why: "must be able to move",
      edits: [rolling(0, 0)],
      errors: [`${unavailable}: Invalid value: 0: may not be 0 when \`maxSurge\` is 0`]
    },
    {
      why: "must be able to move, in percent as well",
      edits: [rolling("0%", 0)],
      errors: [`${unavailable}: Invalid value: "0%": may not be 0 when \`maxSurge\` is 0`]
    },
    {
      why: "cannot lose more Pods than it has",
      edits: [rolling("101%", 1)],
      errors: [`${unavailable}: Invalid value: "101%": must not be greater than 100%`]
    },
    { why: "may surge to more than twice its size", edits: [rolling("100%", "250%")], errors: [] },
    {
      why: "counts in whole percent",
      edits: [rolling("10.5%", "abc")],
      errors: [
        `${unavailable}: Invalid value: "10.5%": ${percentRule}`,
        `${surge}: Invalid value: "abc": ${percentRule}`,
        `${unavailable}: Invalid value: "10.5%": may not be 0 when \`maxSurge\` is 0`
      ]
    },
    {
      why: "does not take a number in quotes",
      edits: [rolling(1, "3")],
      errors: [`${surge}: Invalid value: "3": ${percentRule}`]
    },
    {
      why: "loses and adds no negative number of Pods",
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

  it("needs a spec that says something", () => {
    const bare = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web", namespace: "shop" } }
    expect(texts(validateCreate(deployments, bare))).toContain("spec.selector: Required value")
  })
})

describe("a template (TestValidateDeployment, TestValidateReplicaSet)", () => {
  const rows: ReadonlyArray<ErrorRow> = [
    {
      why: "its Pods never end of themselves",
      edits: [["spec.template.spec.restartPolicy", "OnFailure"]],
      errors: ['spec.template.spec.restartPolicy: Unsupported value: "OnFailure": supported values: "Always"']
    },
    {
      why: "its Pods have no deadline",
      edits: [["spec.template.spec.activeDeadlineSeconds", 7]],
      errors: [
        "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet is " +
          "not Supported"
      ]
    },
    {
      why: "ephemeral containers are for running Pods",
      edits: [["spec.template.spec.ephemeralContainers", [{ name: "debug", image: "busybox" }]]],
      errors: [
        "spec.template.spec.ephemeralContainers: Forbidden: " +
          "ephemeral containers not allowed in pod template"
      ]
    },
    {
      why: "there is a container",
      edits: [["spec.template.spec.containers", []]],
      errors: ["spec.template.spec.containers: Required value"]
    },
    {
      why: "an image of spaces is left for the Pod to refuse",
      edits: [["spec.template.spec.containers.0.image", " "]],
      errors: []
    },
    {
      why: "its labels are labels; their path lacks `metadata`",
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
    { why: "with its defaults is fine", edits: [], errors: [] },
    {
      why: "wants no negative number of Pods",
      edits: [["spec.replicas", -1]],
      errors: [`spec.replicas: Invalid value: -1: ${negative}`]
    },
    {
      why: "does not look back in time",
      edits: [["spec.minReadySeconds", -5]],
      errors: [`spec.minReadySeconds: Invalid value: -5: ${negative}`]
    },
    {
      why: "needs a selector",
      edits: [["spec.selector", undefined]],
      errors: ["spec.selector: Required value", mismatch]
    },
    {
      why: "does not select every Pod there is; the words are the Deployment's",
      edits: [["spec.selector", { matchLabels: {} }]],
      errors: ["spec.selector: Invalid value: {}: empty selector is invalid for deployment"]
    },
    {
      why: "selects its own Pods",
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
  const asking = (size: string): Edit => [
    "spec.template.spec.containers.0.resources",
    { limits: { cpu: "1", "hugepages-2Mi": size }, requests: { cpu: "1", "hugepages-2Mi": size } }
  ]
  const [whole, part, otherPart] = [asking("4Mi"), asking("2.1Mi"), asking("3.1Mi")]
  const stored = withDefaults(deployments, aDeployment())

  it("are whole in a new Deployment", () => {
    expect(deploymentErrors(whole)).toEqual([])
    expect(deploymentErrors(part)).toHaveLength(2)
  })

  it.each([
    { why: "the stored one asks for a part as well", from: part, to: otherPart, errors: 0 },
    { why: "from a part to whole ones", from: part, to: whole, errors: 0 },
    { why: "from whole ones to a part", from: whole, to: part, errors: 2 }
  ])("meet $errors refusals in an update: $why", ({ from, to, errors }) => {
    const old = edited(stored, from)
    expect(texts(validateUpdate(deployments, edited(stored, to), old))).toHaveLength(errors)
  })
})

describe.each([
  { name: "Deployment", kind: deployments, stored: withDefaults(deployments, aDeployment()) },
  { name: "ReplicaSet", kind: replicaSets, stored: withDefaults(replicaSets, aReplicaSet()) }
])(
  "a stored $name (TestValidateDeploymentUpdate, TestValidateReplicaSetUpdate, TestSelectorImmutability)",
  ({ kind, stored }) => {
    const rows: ReadonlyArray<ErrorRow> = [
      { why: "may grow", edits: [["spec.replicas", 11]], errors: [] },
      {
        why: "may change its image",
        edits: [["spec.template.spec.containers.0.image", "registry.example/app:v4"]],
        errors: []
      },
      {
        why: "keeps to the rules of a new one",
        edits: [["spec.replicas", -1]],
        errors: [`spec.replicas: Invalid value: -1: ${negative}`]
      },
      {
        why: "keeps its selector, also when the template would match",
        edits: [
          ["spec.selector", { matchLabels: { tier: "a", app: "shop" } }],
          ["spec.template.metadata.labels", { app: "shop", tier: "a" }]
        ],
        errors: [
          'spec.selector: Invalid value: {"matchLabels":{"app":"shop","tier":"a"}}: field is immutable'
        ]
      },
      {
        why: "cannot lose its selector",
        edits: [["spec.selector", undefined]],
        errors: [
          "spec.selector: Required value",
          mismatch,
          "spec.selector: Invalid value: null: field is immutable"
        ]
      },
      {
        why: "has the same selector with an empty list of expressions",
        edits: [["spec.selector", { matchExpressions: [], matchLabels: { app: "web" } }]],
        errors: []
      }
    ]
    it.each(rows)("$why", ({ edits, errors }) => {
      expect(texts(validateUpdate(kind, edited(stored, ...edits), stored))).toEqual(errors)
    })
  }
)
