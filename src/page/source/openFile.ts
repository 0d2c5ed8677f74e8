import { showRecording } from "./showRecording.ts"
import { readRecordingFile } from "./pageSource.ts"
import type { PageState } from "../pageState.ts"

/** Browsers limit the length of a string to about this many bytes. */
const fileBytesMax = 500 * 1024 * 1024

export const openFile = (state: PageState, file: File): Promise<boolean> =>
  showRecording(
    state,
    file.name,
    file.size > fileBytesMax ? Promise.resolve(tooLarge) : readRecordingFile(file)
  )

const tooLarge = { problem: `it is larger than ${fileBytesMax / 1024 / 1024} MB, the limit of the page.` }

export const listenForDrops = (state: PageState): void => {
  document.addEventListener("dragover", (event) => {
    if (event.dataTransfer?.types.includes("Files") !== true) return
    event.preventDefault()
    document.body.classList.add("dropping")
  })
  document.addEventListener("dragleave", (event) => {
    // Null where the pointer leaves the window, not only an element.
    if (event.relatedTarget === null) document.body.classList.remove("dropping")
  })
  document.addEventListener("drop", (event) => {
    document.body.classList.remove("dropping")
    const [file] = event.dataTransfer?.files ?? []
    if (file === undefined) return
    event.preventDefault()
    void openFile(state, file)
  })
}
