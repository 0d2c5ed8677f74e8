import { describe, expect, it } from "vitest"
import { containerPlan } from "../../../../src/kubernetes/pods/containers/containers.ts"
import {
  imageProblem,
  imageSource,
  isImageName,
  isSameImage
} from "../../../../src/kubernetes/pods/containers/images.ts"
import { someLife, somePodLife } from "../containerFixtures.ts"

describe("the source of an image", () => {
  it.each([
    {
      policy: "IfNotPresent",
      pullFailures: 3,
      source: "registry",
      onNode: "node",
      why: "it is pulled, whatever comes of it"
    },
    { policy: "Always", pullFailures: 0, source: "registry", onNode: "registry", why: "it is pulled" },
    {
      policy: "Never",
      pullFailures: 0,
      source: "node",
      onNode: "node",
      why: "without a pull it has to be on the node"
    },
    {
      policy: "Never",
      pullFailures: 1,
      source: "absent",
      onNode: "node",
      why: "without a pull it is absent when pulls fail"
    }
  ])(
    "is the $source under $policy with $pullFailures failures, or the $onNode after a pull: $why",
    ({ policy, pullFailures, source, onNode }) => {
      const container = { name: "app", image: "web:v1", imagePullPolicy: policy }
      const life = someLife({ pullFailures })
      expect(imageSource(container, true, { life, isOnNode: false })).toBe(source)
      expect(imageSource(container, true, { life, isOnNode: true })).toBe(onNode)
      expect(imageSource(container, false, { life, isOnNode: true })).toBe("invalidName")
    }
  )
})

describe("two names", () => {
  it.each([
    { one: "nginx", other: "docker.io/library/nginx:latest", isSame: true },
    { one: "docker.io/team/web:1", other: "team/web:1", isSame: true },
    { one: "registry:5000/web", other: "registry:5000/web:latest", isSame: true },
    { one: "web:1", other: "web:2", isSame: false },
    { one: "web", other: "registry:5000/web", isSame: false }
  ])("$one and $other are of the same image: $isSame", ({ one, other, isSame }) => {
    expect(isSameImage(one, other)).toBe(isSame)
  })
})

describe("the source of a container's image", () => {
  it.each([
    { image: "web:v1", source: "registry" },
    { image: "Web", source: "invalidName" },
    { image: undefined, source: "invalidName" }
  ])("for $image is $source", ({ image, source }) => {
    const container = { name: "app", ...(image === undefined ? {} : { image }) }
    const plan = containerPlan(container, { role: "app", spec: {}, life: somePodLife() })
    expect(plan.image).toBe(source)
  })
})

const invalidReference = (image: string, why = "") =>
  `Failed to apply default image tag "${image}": couldn't parse image reference "${image}": invalid reference format${why}`
const inUpperCase = (name: string) => `: repository name (${name}) must be lowercase`

describe("the problem of an image", () => {
  it("is the pull policy for a valid name", () => {
    expect(imageProblem("registry.example/app:v1")).toEqual({
      reason: "ErrImageNeverPull",
      eventReason: "ErrImageNeverPull",
      message: 'Container image "registry.example/app:v1" is not present with pull policy of Never'
    })
  })

  it.each([
    { image: "web app", why: "", because: "a space is no upper-case letter" },
    { image: "Web", why: inUpperCase("library/Web"), because: "a bare name belongs to library/" },
    { image: "Web:V2", why: inUpperCase("library/Web"), because: "the tag is not part of the name" },
    { image: "team/Web:v1", why: inUpperCase("team/Web"), because: "a path without a dot is no registry" },
    { image: "/Web", why: inUpperCase("/Web"), because: "an empty part is no registry" },
    { image: "registry.example/Web:v1", why: inUpperCase("Web"), because: "a dot makes a registry" },
    { image: "registry:5000/Team/web", why: inUpperCase("Team/web"), because: "a port makes a registry" },
    { image: "localhost/Web", why: inUpperCase("Web"), because: "localhost is a registry" },
    { image: "Team/web:?", why: "", because: "no path has capitals, so it is a registry" }
  ])("for “$image” ends in “$why”: $because", ({ image, why }) => {
    expect(isImageName(image)).toBe(false)
    expect(imageProblem(image)).toEqual({
      reason: "InvalidImageName",
      eventReason: "InspectFailed",
      message: invalidReference(image, why)
    })
  })
})
