import { describe, expect, it } from "vitest"
import {
  validateCreate,
  validateStatusUpdate,
  validateUpdate,
  withDefaults
} from "../../../src/kubernetes/admission/admit.ts"
import { errorBody } from "../../../src/kubernetes/validation/fieldErrors.ts"
import { aDeployment, aPod, deployments, edited, pods } from "./drafts.ts"

const annotation = "controller.kubernetes.io/pod-deletion-cost"
const costing = (cost: string) =>
  edited(withDefaults(pods, aPod()), ["metadata.annotations", { [annotation]: cost }])
const plain = withDefaults(pods, aPod())
const refusal = (cost: string, path = "metadata.annotations") => [
  `${path}[${annotation}]: Invalid value: ${JSON.stringify(cost)}: must be a 32bit integer`
]
const textsOf = (errors: ReturnType<typeof validateCreate>) =>
  errors.map((error) => `${error.field}: ${errorBody(error)}`)

describe("the cost of a Pod's deletion (ValidatePodSpecificAnnotations)", () => {
  it.each(["abc", "+4", "04", "1.5", "99999999999", "2147483648", "-2147483649", "", " 4", "-"])(
    "is a 32-bit integer, in new Pods and in changed ones: '%s' is none",
    (cost) => {
      expect(textsOf(validateCreate(pods, costing(cost)))).toEqual(refusal(cost))
      expect(textsOf(validateUpdate(pods, costing(cost), costing("7")))).toEqual(refusal(cost))
      expect(textsOf(validateUpdate(pods, costing(cost), plain))).toEqual(refusal(cost))
    }
  )

  it.each(["0", "-0", "7", "-04", "2147483647", "-2147483648"])("may be '%s'", (cost) => {
    expect(validateCreate(pods, costing(cost))).toEqual([])
    expect(validateUpdate(pods, costing(cost), plain)).toEqual([])
  })

  it("is not held against an update where it was let in before, nor against a status", () => {
    expect(validateUpdate(pods, costing("+5"), costing("+4"))).toEqual([])
    expect(validateStatusUpdate(pods, costing("+4"), plain)).toEqual([])
  })

  it("is asked of templates as well", () => {
    const template = {
      metadata: { labels: { app: "web" }, annotations: { [annotation]: "x" } },
      spec: { containers: [{ name: "app", image: "registry.example/app:v3" }] }
    }
    const deployment = withDefaults(deployments, aDeployment({ template }))
    expect(textsOf(validateCreate(deployments, deployment))).toEqual(
      refusal("x", "spec.template.annotations")
    )
  })
})
