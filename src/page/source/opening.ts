import { open } from "./open.ts"
import { recordingIn } from "./source.ts"
import type { World } from "../world.ts"

/** No browser holds more text than this in one piece. */
const fileBytesMax = 500 * 1024 * 1024

export const openFile = (world: World, file: File): Promise<boolean> =>
  open(world, file.name, file.size > fileBytesMax ? Promise.resolve(tooLarge) : recordingIn(file))

const tooLarge = { refused: `it is larger than ${fileBytesMax / 1024 / 1024} MB, which a page cannot hold.` }

/** A file that is dropped anywhere on the page is opened. */
export const hearDrops = (world: World): void => {
  document.addEventListener("dragover", (event) => {
    if (event.dataTransfer?.types.includes("Files") !== true) return
    event.preventDefault()
    document.body.classList.add("dropping")
  })
  document.addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) document.body.classList.remove("dropping")
  })
  document.addEventListener("drop", (event) => {
    document.body.classList.remove("dropping")
    const [file] = event.dataTransfer?.files ?? []
    if (file === undefined) return
    event.preventDefault()
    void openFile(world, file)
  })
}
