import { expect, it } from "vitest"
import { defaultExit, withDefaultExits } from "../../src/behaviours/defaultExits.ts"
import { aPod } from "../builders.ts"
import { somePodLife } from "../kubernetes/pods/containerFixtures.ts"
import { containerLife } from "../../src/kubernetes/pods/containers/containers.ts"

const exitsOf = (restartPolicy: string, ofTask?: string) => {
  const task = { name: "task", ...(ofTask === undefined ? {} : { restartPolicy: ofTask }) }
  const pod = aPod({ spec: { restartPolicy, containers: [{ name: "app" }, task] } })
  const life = withDefaultExits(pod, somePodLife())
  return ["app", "task"].map((name) => containerLife(life, name, "app").exit)
}

it.each([
  { pod: "Always", own: undefined, exits: [undefined, undefined] },
  { pod: "Always", own: "Never", exits: [undefined, undefined] },
  { pod: "Never", own: undefined, exits: [defaultExit, defaultExit] },
  { pod: "OnFailure", own: "Never", exits: [defaultExit, defaultExit] },
  { pod: "Never", own: "Always", exits: [defaultExit, undefined] }
])("a container with the policy $own in a Pod with $pod ends if the Pod is to end", ({ pod, own, exits }) => {
  expect(exitsOf(pod, own)).toEqual(exits)
})
