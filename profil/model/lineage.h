#pragma once

#include "profil/model/profile.h"

namespace csink {

/// Puts the images of a tree in relation, where they did not know it themselves: a
/// process with few samples leaves a record that holds no start ticks and no number
/// of its image.
///
/// Images of one pid follow each other when the one before ended by exec (or left
/// start ticks of its own that are the same): they get one number of start ticks
/// and count their generations from 0. A process whose parent is in the profile
/// stands one deeper than it.
void RelateImages(Profile& profile);

}  // namespace csink
