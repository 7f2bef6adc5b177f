// @ts-check
// The pages on which a text is written and sent: the form, and the two on which one joins again.

import "./page.js";
import { enliven } from "./field.js";

enliven();
