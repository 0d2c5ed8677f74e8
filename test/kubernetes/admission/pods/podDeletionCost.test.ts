import { describe, expect, it } from "vitest"
import {
  validateCreate,
  validateStatusUpdate,
  validateUpdate,
  withDefaults
} from "../../../../src/kubernetes/admission/admit.ts"
import { errorBody } from "../../../../src/kubernetes/validation/fieldErrors.ts"
import { aDeployment, aPod, deployments, edited, pods } from "../drafts.ts"

const annotation = "controller.kubernetes.io/pod-deletion-cost"
const aPodWithCost = (cost: string) =>
  edited(withDefaults(pods, aPod()), ["metadata.annotations", { [annotation]: cost }])
const podWithoutCost = withDefaults(pods, aPod())
const expectedErrors = (cost: string, path = "metadata.annotations") => [
  `${path}[${annotation}]: Invalid value: ${JSON.stringify(cost)}: must be a 32bit integer`
]
const textsOf = (errors: ReturnType<typeof validateCreate>) =>
  errors.map((error) => `${error.field}: ${errorBody(error)}`)

describe("the pod-deletion-cost annotation (ValidatePodSpecificAnnotations)", () => {
  it.each(["abc", "+4", "04", "1.5", "99999999999", "2147483648", "-2147483649", "", " 4", "-"])(
    "must be a 32-bit integer in new and in updated Pods: rejects '%s'",
    (cost) => {
      expect(textsOf(validateCreate(pods, aPodWithCost(cost)))).toEqual(expectedErrors(cost))
      expect(textsOf(validateUpdate(pods, aPodWithCost(cost), aPodWithCost("7")))).toEqual(
        expectedErrors(cost)
      )
      expect(textsOf(validateUpdate(pods, aPodWithCost(cost), podWithoutCost))).toEqual(expectedErrors(cost))
    }
  )

  it.each(["0", "-0", "7", "-04", "2147483647", "-2147483648"])("accepts '%s'", (cost) => {
    expect(validateCreate(pods, aPodWithCost(cost))).toEqual([])
    expect(validateUpdate(pods, aPodWithCost(cost), podWithoutCost)).toEqual([])
  })

  it("is not validated in updates of invalid costs, nor in status updates", () => {
    expect(validateUpdate(pods, aPodWithCost("+5"), aPodWithCost("+4"))).toEqual([])
    expect(validateStatusUpdate(pods, aPodWithCost("+4"), podWithoutCost)).toEqual([])
  })

  it("is validated in templates as well", () => {
    const template = {
      metadata: { labels: { app: "web" }, annotations: { [annotation]: "x" } },
      spec: { containers: [{ name: "app", image: "registry.example/app:v3" }] }
    }
    const deployment = withDefaults(deployments, aDeployment({ template }))
    expect(textsOf(validateCreate(deployments, deployment))).toEqual(
      expectedErrors("x", "spec.template.annotations")
    )
  })
})
