import { describe, expect, it } from "vitest"
import { podErrors } from "../drafts.ts"

const rule = { action: "Restart", exitCodes: { operator: "In", values: [42] } }
const unsupportedPolicy = 'Unsupported value: "Sometimes": supported values: "Always", "Never", "OnFailure"'

describe("the restart policy and rules of a container (TestValidateContainerRestartPolicy)", () => {
  it.each<{ why: string; container: object; errors: ReadonlyArray<string> }>([
    ...["Always", "Never", "OnFailure"].map((restartPolicy) => ({
      why: `accept ${restartPolicy}`,
      container: { restartPolicy },
      errors: []
    })),
    {
      why: "reject another policy",
      container: { restartPolicy: "Sometimes" },
      errors: [`restartPolicy: ${unsupportedPolicy}`]
    },
    {
      why: "accept rules beside a policy",
      container: {
        restartPolicy: "Never",
        restartPolicyRules: [
          rule,
          { action: "RestartAllContainers", exitCodes: { operator: "NotIn", values: [0] } },
          { action: "Restart", exitCodes: { operator: "In" } }
        ]
      },
      errors: []
    },
    {
      why: "require a policy beside rules",
      container: { restartPolicyRules: [rule] },
      errors: ["restartPolicy: Required value: must specify restartPolicy when restart rules are used"]
    },
    {
      why: "require no policy beside an empty list of rules",
      container: { restartPolicyRules: [] },
      errors: []
    },
    {
      why: "reject other actions and operators",
      container: {
        restartPolicy: "Always",
        restartPolicyRules: [rule, { action: "Stop", exitCodes: { operator: "Equals", values: [1] } }, {}]
      },
      errors: [
        'restartPolicyRules[1].action: Unsupported value: "Stop": supported values: "Restart", "RestartAllContainers"',
        'restartPolicyRules[1].exitCodes.operator: Unsupported value: "Equals": supported values: "In", "NotIn"',
        'restartPolicyRules[2].action: Unsupported value: "": supported values: "Restart", "RestartAllContainers"',
        "restartPolicyRules[2].exitCodes: Required value: must be specified"
      ]
    },
    {
      why: "reject too many rules and exit codes",
      container: {
        restartPolicy: "Always",
        restartPolicyRules: [
          ...Array.from({ length: 20 }, () => rule),
          { ...rule, exitCodes: { operator: "In", values: Array.from({ length: 256 }, (_, index) => index) } }
        ]
      },
      errors: [
        "restartPolicyRules: Too many: 21: must have at most 20 items",
        "restartPolicyRules[20].exitCodes.values: Too many: 256: must have at most 255 items"
      ]
    },
    {
      why: "accept the most rules and exit codes",
      container: {
        restartPolicy: "Always",
        restartPolicyRules: [
          ...Array.from({ length: 19 }, () => rule),
          { ...rule, exitCodes: { operator: "In", values: Array.from({ length: 255 }, (_, index) => index) } }
        ]
      },
      errors: []
    }
  ])("$why", ({ container, errors }) => {
    for (const list of ["containers", "initContainers"]) {
      const edits = [[`spec.${list}`, [{ name: "a", image: "a", ...container }]]] as const
      expect(podErrors(edits)).toEqual(errors.map((error) => `spec.${list}[0].${error}`))
    }
  })
})
