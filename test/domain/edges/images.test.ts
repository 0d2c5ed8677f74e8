import { describe, expect, it } from "vitest"
import { containerPlan } from "../../../src/kubernetes/pods/containers/containers.ts"
import { imageProblem, imageSource, isImageName } from "../../../src/kubernetes/pods/containers/images.ts"
import { someLife, somePodLife } from "../someContainers.ts"

describe("where an image comes from", () => {
  it.each([
    { policy: "IfNotPresent", pullFailures: 3, source: "registry", why: "it is pulled, well or not" },
    { policy: "Always", pullFailures: 0, source: "registry", why: "it is pulled" },
    { policy: "Never", pullFailures: 0, source: "node", why: "nobody may pull it, so it is there" },
    { policy: "Never", pullFailures: 1, source: "absent", why: "unless a pull would fail" }
  ])("is the $source under $policy with $pullFailures failures: $why", ({ policy, pullFailures, source }) => {
    const container = { name: "app", image: "web:v1", imagePullPolicy: policy }
    expect(imageSource(container, true, someLife({ pullFailures }))).toBe(source)
    expect(imageSource(container, false, someLife({ pullFailures }))).toBe("invalidName")
  })
})

describe("a container", () => {
  it.each([
    { image: "web:v1", source: "registry" },
    { image: "Web", source: "invalidName" },
    { image: undefined, source: "invalidName" }
  ])("of the image $image has it from: $source", ({ image, source }) => {
    const container = { name: "app", ...(image === undefined ? {} : { image }) }
    const plan = containerPlan(container, { role: "app", spec: {}, life: somePodLife() })
    expect(plan.image).toBe(source)
  })
})

const refused = (image: string, why = "") =>
  `Failed to apply default image tag "${image}": couldn't parse image reference "${image}": invalid reference format${why}`
const inUpperCase = (name: string) => `: repository name (${name}) must be lowercase`

describe("what is said of an image that cannot be had", () => {
  it("is that it may not be pulled, where its name is good", () => {
    expect(imageProblem("registry.example/app:v1")).toEqual({
      reason: "ErrImageNeverPull",
      eventReason: "ErrImageNeverPull",
      message: 'Container image "registry.example/app:v1" is not present with pull policy of Never'
    })
  })

  it.each([
    { image: "web app", why: "", because: "a space is no letter in the wrong case" },
    { image: "Web", why: inUpperCase("library/Web"), because: "a bare name is in a folder of its own" },
    { image: "Web:V2", why: inUpperCase("library/Web"), because: "a tag is not the name" },
    { image: "team/Web:v1", why: inUpperCase("team/Web"), because: "a folder is no registry" },
    { image: "/Web", why: inUpperCase("/Web"), because: "nor is nothing" },
    { image: "registry.example/Web:v1", why: inUpperCase("Web"), because: "a dot makes a registry" },
    { image: "registry:5000/Team/web", why: inUpperCase("Team/web"), because: "and so does a port" },
    { image: "localhost/Web", why: inUpperCase("Web"), because: "this one is a registry" },
    { image: "Team/web:?", why: "", because: "no folder has capitals, so it is a registry: that may" }
  ])("of “$image” ends in “$why”: $because", ({ image, why }) => {
    expect(isImageName(image)).toBe(false)
    expect(imageProblem(image)).toEqual({
      reason: "InvalidImageName",
      eventReason: "InspectFailed",
      message: refused(image, why)
    })
  })
})
